// Keeps the runs of one item in one thread, and decides on corrections.

import type { RunRequest } from '../form/run-request';
import { followedBy, resultOf, type RunResult } from './result';
import { asCorrection } from '../reply/read-rows';
import type { Reply } from '../reply/reply';
import { textsOf } from '../run/message/message';

/** Another run in the thread, for valid rows. */
export interface Correction {
	threadId: string;
	/** One sentence for each invalid value. */
	problems: string[];
}

export class Conversation {
	latest?: Reply;

	/** The result of all runs, with each one's text. */
	result?: RunResult;

	corrections = 0;

	/** Milliseconds of `performance.now` at which *Run Timeout* ends the latest run and its downloads. */
	deadline = Infinity;

	private latestText = '';

	add(reply: Reply, isCorrection = false): void {
		const { latest: before } = this;
		this.latest = isCorrection ? { ...reply, rows: asCorrection(reply.rows!, before!.rows!) } : reply;
		const { run, rows, threadId } = reply;
		const ofRun = resultOf(threadId, run);
		const result = rows ? { ...ofRun, text: textsOf(run.message.parts).join('\n\n') } : ofRun;
		this.latestText = result.text;
		this.result = this.result ? followedBy(this.result, result) : result;
		if (isCorrection) this.corrections++;
	}

	/** Earlier texts have invalid rows, so a completed result has only the latest. */
	get resultToReturn(): RunResult {
		const result = this.result!;
		return result.status === 'completed' ? { ...result, text: this.latestText } : result;
	}

	nextCorrection({ rows, maxCorrections }: Pick<RunRequest, 'maxCorrections' | 'rows'>): Correction | undefined {
		const { rows: read, run, threadId } = this.latest!;
		const { problems = [], cause } = read ?? {};
		// A correction cannot restore digits that a number cannot store.
		const isInvalid = run.status === 'completed' && problems.length > 0 && cause !== 'digits';
		const isAllowed = rows?.onInvalid === 'correction' && this.corrections < maxCorrections;
		return isInvalid && isAllowed && threadId !== undefined ? { threadId, problems } : undefined;
	}
}
