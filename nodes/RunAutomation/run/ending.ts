// Decides how a run ended, by what its stream reported, and by how the stream itself ended.

import type { Secrets } from '../../shared/mask/secrets';
import { counted, visible } from '../../shared/values/text';
import type { Approval, Run } from './run';

type Ending = Pick<Run, 'advice' | 'mayBeRunning' | 'reason' | 'status'>;

/** How the stream stopped. Its status and reason count if the run has reported no end. */
export interface StreamEnd extends Ending {
	status: 'interrupted' | 'timed_out';
	reason: string;
	/** Shown instead of the reason if the run had ended before. */
	warning?: string;
}

export const CONNECTION_CLOSED: StreamEnd = {
	status: 'interrupted',
	reason: 'The connection closed before the run finished',
};

/** A run that had ended may have begun again before the limit. */
export const atLimit = (status: StreamEnd['status'], reason: string): StreamEnd => ({
	status,
	reason,
	warning: `${reason}. The run had ended, but may still be in progress; later output is missing`,
});

export const NO_REASON = {
	aborted: 'The run was aborted without giving a reason',
	failed: 'The run failed without giving a reason',
};

/** Other finish reasons end a complete run. */
const EARLY_ENDS: Record<string, string> = {
	length: "it reached the model's length limit",
	'content-filter': "the model's content filter blocked the rest",
	interrupted: 'it was interrupted',
};

const MAX_CALLS_CHARACTERS = 2000;

/** What a run's stream has reported. */
interface Reported {
	/** The first error or abort. */
	error: { status: 'aborted' | 'failed'; reason: string } | undefined;
	/** True after `finish` or `[DONE]`. */
	isFinished: boolean;
	finishReason: string;
	approvals: Approval[];
	/** The number of lines that could not be read, and that the result lacks. */
	lostLines: number;
}

/** An error or abort counts first, then `finish` or `[DONE]`, then the end of the connection. */
export function endingAfter(
	{ warning, ...cut }: StreamEnd,
	{ error, isFinished, finishReason, approvals, lostLines }: Reported,
	secrets: Secrets,
): Ending & { warnings: string[] } {
	if (!error && !isFinished) return { ...cut, warnings: [] };
	const warnings = warning === undefined ? [] : [warning];
	if (error) {
		const mayBeRunning = warning !== undefined || (cut.mayBeRunning && !isFinished);
		return { ...error, ...(mayBeRunning && { mayBeRunning }), warnings };
	}
	if (finishReason === 'error') return { status: 'failed', reason: NO_REASON.failed, warnings };
	const why = Object.hasOwn(EARLY_ENDS, finishReason) && EARLY_ENDS[finishReason];
	if (why) {
		const reason = `The run stopped early because ${why}, so the text may be incomplete`;
		return { status: 'incomplete', reason, warnings };
	}
	if (approvals.length > 0) {
		// The inputs of calls would be stored, and shown to many.
		const tools = approvals.map(({ tool }) => visible(tool)).join(', ');
		const reason = `The run is waiting for approval of ${secrets.quote(tools, MAX_CALLS_CHARACTERS)}`;
		return { status: 'needs_approval', reason, warnings };
	}
	if (lostLines === 0) return { status: 'completed', warnings };
	return {
		status: 'incomplete',
		reason: `Part of the output could not be read (${counted(lostLines, 'line')})`,
		advice: "Find the thread in the service's web console to see the full output",
		warnings,
	};
}
