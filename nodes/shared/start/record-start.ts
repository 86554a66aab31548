// Records a start in its item's ledger, and its thread in n8n's log and custom data.

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Failure } from '../failure/failure';
import { logStart, recordThread } from '../n8n/record-runs';
import type { Ledger, Start } from './ledger';

export interface StartingItem {
	readonly context: IExecuteFunctions;
	readonly ledger: Ledger<unknown>;
	readonly itemIndex: number;
	mask(text: string): string;
}

export function listStart({ context, ledger, itemIndex }: StartingItem, threadId: string | undefined): Start {
	logStart(context, 'requested', itemIndex);
	return ledger.add(itemIndex, threadId ?? null);
}

export function recordAcceptedStart(item: StartingItem, start: Start, threadId: string | undefined): void {
	start.effect = 'run';
	recordStartThread(item, start, threadId);
}

function recordStartThread({ context, itemIndex, mask }: StartingItem, start: Start, threadId?: string): void {
	start.thread_id = threadId ?? start.thread_id;
	if (threadId !== undefined) recordThread(context, itemIndex, mask(threadId));
}

/** Withdraws a start without effect, or adds the known data of its run. */
export function recordFailedStart(item: StartingItem, start: Start, { effect = 'maybe', run }: Failure): void {
	if (effect === 'none') {
		item.ledger.withdraw(start);
		logStart(item.context, 'rejected', item.itemIndex);
		return;
	}
	if (run?.thread_id && run.thread_id !== start.thread_id) recordStartThread(item, start, run.thread_id);
	start.effect = effect;
	start.status = run?.status ?? start.status;
}
