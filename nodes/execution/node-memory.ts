import type { IExecuteFunctions } from 'n8n-workflow';

import type { BusyGate } from './busy';

/** A token that the items of an execution share. */
export interface SharedToken {
	value?: string;
	/** Resolves without a token if the request for one ended otherwise; rejects with its reason. */
	ready?: Promise<string | undefined>;
}

/** What the attempts and items of a node share in one execution. */
export interface NodeMemory {
	/** One per item, by run index and item index; of a tool, by its input. Their type of outcome differs by node. */
	ledgers: Map<unknown, object>;
	/** By run index. */
	busy: Map<string, BusyGate>;
	/** By user and URL. */
	tokens: Map<string, SharedToken>;
	/** When the node was first executed, in milliseconds since 1970. */
	firstExecutedAt: number;
	/** What n8n saves with the execution and hands to a *Retry*: of each item, what did not have to start again, as JSON. */
	saved: { savedLedgers?: Record<string, string> };
}

const newMemory = (saved: object): NodeMemory => ({
	ledgers: new Map(),
	busy: new Map(),
	tokens: new Map(),
	firstExecutedAt: Date.now(),
	saved,
});

const MEMORY = Symbol('memory of the node');

/**
 * Reads the memory of a node: n8n hands out the same context object on every attempt of *Retry On Fail*. A symbol there is neither
 * saved nor visible to expressions; a text key is saved with the execution.
 *
 * @returns a memory that nobody shares, and `hasMemory` false, if there is no execution
 */
export function readMemory(context: Pick<IExecuteFunctions, 'getContext'>): { memory: NodeMemory; hasMemory: boolean } {
	try {
		const shared = context.getContext('node') as { [MEMORY]?: NodeMemory };
		return { memory: (shared[MEMORY] ??= newMemory(shared)), hasMemory: true };
	} catch {
		return { memory: newMemory({}), hasMemory: false };
	}
}
