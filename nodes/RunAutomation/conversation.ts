import { followedBy, resultOf, type RunResult } from './output/result';
import type { RunRequest } from './form/run-request';
import type { Reply } from './reply/reply';
import { asCorrection } from './reply/read-rows';
import { textsOf } from './run';

/** What a start asks of the agent: the task of the form, or rows that fit, in the thread of those that do not. */
export type Plan = { kind: 'first' } | Correction;

export interface Correction {
	kind: 'correction';
	threadId: string;
	/** What is invalid, a sentence each. */
	problems: string[];
}

/** The runs of one item in its thread: the one place for what grows while it is processed. */
export class Conversation {
	/** The reply of the latest run. */
	latest?: Reply;

	/** Of all runs, including their text. */
	result?: RunResult;

	/** Corrections that were read. */
	corrections = 0;

	/** When *Run Timeout* ends the latest run and the downloads, in milliseconds of `performance.now`. */
	deadline = Infinity;

	/** Begins a run, which has until the deadline. */
	begin(deadline: number): void {
		this.deadline = deadline;
	}

	/** Adds the reply to a start. */
	add(plan: Plan, reply: Reply): void {
		const { latest: before } = this;
		const isCorrection = plan.kind === 'correction';
		this.latest = isCorrection ? { ...reply, rows: asCorrection(reply.rows!, before!.rows!) } : reply;
		const { run, rows, threadId } = reply;
		const ofRun = resultOf(threadId, run);
		const result = rows ? { ...ofRun, text: textsOf(run.message.parts).join('\n\n') } : ofRun;
		this.ownText = result.text;
		this.result = this.result ? followedBy(this.result, result) : result;
		if (isCorrection) this.corrections++;
	}

	/** The text of the latest run. */
	private ownText = '';

	/** The result to return: of a completed run, only its own text. Earlier texts have invalid rows. */
	get returned(): RunResult {
		const result = this.result!;
		return result.status === 'completed' ? { ...result, text: this.ownText } : result;
	}
}

/**
 * The correction that follows the latest run, if its rows are invalid and the form allows one.
 *
 * @param corrections those so far
 */
export function correctionAfter(
	{ rows: read, run: { status }, threadId }: Reply,
	{ rows, maxCorrections }: Pick<RunRequest, 'maxCorrections' | 'rows'>,
	corrections: number,
): Correction | undefined {
	const { problems = [], cause } = read ?? {};
	// A correction cannot restore digits that a number cannot store.
	const isInvalid = status === 'completed' && problems.length > 0 && cause !== 'digits';
	const isAllowed = rows?.onInvalid === 'correction' && corrections < maxCorrections;
	return isInvalid && isAllowed && threadId !== undefined ? { kind: 'correction', threadId, problems } : undefined;
}
