// Keeps what the attempts and items of a node share in one execution.

import type { IExecuteFunctions } from 'n8n-workflow';

export interface SharedToken {
	value?: string;
	/** Tokens that the service has rejected, but may still quote. */
	rejected?: string[];
	/** The token that is being requested, or undefined if the service issues none. */
	ready?: Promise<string | undefined>;
}

export interface NodeMemory {
	/** The key is run and item index, or a tool's input. */
	ledgers: Map<unknown, object>;
	/** The key is the hash of user, URL and password. */
	tokens: Map<string, SharedToken>;
	/** Milliseconds since 1970. */
	firstExecutedAt: number;
	/** n8n saves this with the execution for *Retry execution*: each item's ledger as JSON. */
	saved: { savedLedgers?: Record<string, string> };
}

const newMemory = (saved: object): NodeMemory => ({
	ledgers: new Map(),
	tokens: new Map(),
	firstExecutedAt: Date.now(),
	saved,
});

const MEMORY = Symbol('memory of the node');

/**
 * All attempts of *Retry On Fail* get the same context object, of which n8n saves the text keys only. n8n's own Agents have
 * no execution, and share nothing.
 */
export function readMemory(context: Pick<IExecuteFunctions, 'getContext'>): NodeMemory {
	try {
		const shared = context.getContext('node') as { [MEMORY]?: NodeMemory };
		return (shared[MEMORY] ??= newMemory(shared));
	} catch {
		return newMemory({});
	}
}
