// What both nodes keep of a start: an entry in its item's ledger from before it is sent, and its thread in n8n's log and custom data.

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../failure/failure';
import { logStart, recordThread } from '../n8n/record-runs';
import type { Ledger, Start } from './ledger';

/** One item whose start is sent. */
export interface StartingItem {
	readonly context: IExecuteFunctions;
	readonly ledger: Ledger<unknown>;
	readonly itemIndex: number;
	/** Masks secrets. */
	mask(text: string): string;
}

/** Lists a start before it is sent: the execution may end before there is a response. */
export function listStart({ context, ledger, itemIndex }: StartingItem, threadId: string | undefined): Start {
	const { start, isResend } = ledger.add(itemIndex, threadId ?? null);
	if (!isResend) logStart(context, 'requested', itemIndex);
	return start;
}

export function recordAcceptedStart(item: StartingItem, start: Start, threadId: string | undefined): void {
	start.effect = 'run';
	recordStartThread(item, start, threadId);
}

function recordStartThread({ context, itemIndex, mask }: StartingItem, start: Start, threadId?: string): void {
	start.thread_id = threadId ?? start.thread_id;
	if (threadId !== undefined) recordThread(context, itemIndex, mask(threadId));
}

/** Adds what is known of its run to a start, or withdraws the start if it had no effect. */
export function recordFailedStart(item: StartingItem, start: Start, { effect = 'maybe', run }: Failure): void {
	if (effect === 'none') {
		item.ledger.withdraw(start);
		return;
	}
	if (run?.thread_id && run.thread_id !== start.thread_id) recordStartThread(item, start, run.thread_id);
	start.effect = effect;
	start.status = run?.status ?? start.status;
}
