import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError, isMadeHere, isNodeError, runOf, type NodeError } from '../errors/node-error';
import { CHECK_BEFORE_RESTART } from '../starts/outcome';
import { recordThread } from './output/record-thread';
import type { StartedRun } from './output/run-error';

/** The runs that are started for one item, in order. Each is counted and its thread recorded, however it ends. */
export class StartedRuns {
	readonly list: StartedRun[] = [];

	private threadId: string | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
	) {}

	/** To be called as soon as the service has responded to a start. */
	readonly onStart = (threadId: string | undefined): void => {
		this.threadId = threadId ?? this.threadId;
		recordThread(this.context, this.itemIndex, threadId);
	};

	/** Counts a run at its end, and one that may have been started although its start threw. */
	async count<T>(run: Promise<T>, statusOf: (ended: T) => string): Promise<T> {
		const ended = await run.catch((caught: Error) => {
			const error = this.errorOf(caught);
			const { status, thread_id } = runOf(error) ?? {};
			// A response that is not a stream may name a thread, too.
			if (thread_id && thread_id !== this.threadId) this.onStart(thread_id);
			if (status !== undefined) this.add(status);
			throw error;
		});
		this.add(statusOf(ended));
		return ended;
	}

	/** Returns an error of this package unchanged, and turns any other one into an error about the run. */
	errorOf(error: Error): NodeError {
		if (isNodeError(error) && isMadeHere(error)) return error;
		const { context, itemIndex, threadId = null } = this;
		const run = { thread_id: threadId, status: 'interrupted' };
		return apiError(context.getNode(), { reason: error.message, advice: CHECK_BEFORE_RESTART, itemIndex, run });
	}

	private add(status: string): void {
		this.list.push({ item: this.itemIndex, status, thread_id: this.threadId ?? null });
	}
}
