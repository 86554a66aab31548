import type { IExecuteFunctions } from 'n8n-workflow';

import type { BusyGate } from './busy';

export interface SharedToken {
	value?: string;
	/** Without a token if the request for one ended otherwise. */
	ready?: Promise<string | undefined>;
}

/** What the attempts and items of a node share in one execution. */
export interface NodeMemory {
	/** By run and item index; for a tool, by its input. */
	ledgers: Map<unknown, object>;
	/** By run index. */
	busy: Map<string, BusyGate>;
	/** By user and URL. */
	tokens: Map<string, SharedToken>;
	/** Milliseconds since 1970. */
	firstExecutedAt: number;
	/** Saved with the execution and passed to a *Retry*: as JSON, for each item. */
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
 * The memory of a node: n8n returns the same context object on every attempt of *Retry On Fail*. A symbol there is not saved, a text
 * key is. Without an execution, the memory is not shared.
 */
export function readMemory(context: Pick<IExecuteFunctions, 'getContext'>): NodeMemory {
	try {
		const shared = context.getContext('node') as { [MEMORY]?: NodeMemory };
		return (shared[MEMORY] ??= newMemory(shared));
	} catch {
		return newMemory({});
	}
}
