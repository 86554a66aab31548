// Keeps what the attempts and items of a node share, on n8n's context of the node.

import type { IExecuteFunctions } from 'n8n-workflow';

export interface SharedToken {
	value?: string;
	/** Tokens that the service rejected: it may name them later. */
	rejected?: string[];
	/** Undefined if none was issued. */
	ready?: Promise<string | undefined>;
}

/** What the attempts and items of a node share in one execution. */
export interface NodeMemory {
	/** Found by run and item index, or by the input of a tool. */
	ledgers: Map<unknown, object>;
	/** Found by run index. */
	gates: Map<string, object>;
	/** Found by the hash of user, URL and password. */
	tokens: Map<string, SharedToken>;
	/** Milliseconds since 1970. */
	firstExecutedAt: number;
	/** n8n saves this with the execution for a *Retry*: JSON for each item. */
	saved: { savedLedgers?: Record<string, string> };
}

const newMemory = (saved: object): NodeMemory => ({
	ledgers: new Map(),
	gates: new Map(),
	tokens: new Map(),
	firstExecutedAt: Date.now(),
	saved,
});

const MEMORY = Symbol('memory of the node');

/**
 * n8n returns the same context object on every attempt of *Retry On Fail*. A symbol there is not saved, a text key is. Without an
 * execution, as for a tool of n8n's own Agents, the memory is not shared.
 */
export function readMemory(context: Pick<IExecuteFunctions, 'getContext'>): NodeMemory {
	try {
		const shared = context.getContext('node') as { [MEMORY]?: NodeMemory };
		return (shared[MEMORY] ??= newMemory(shared));
	} catch {
		return newMemory({});
	}
}
