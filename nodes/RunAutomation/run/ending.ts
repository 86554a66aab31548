// Decides how a run ended, by its stream and by what ended the stream.

import { counted, visible, type Excerpt } from '../../shared/values/text';
import type { Part } from './message/chunk';
import { isToolPart, toolNameOf } from './message/tool-calls';

/** `not_done` comes from the agent's text. */
export type RunStatus =
	| 'completed'
	| 'needs_approval'
	| 'incomplete'
	| 'not_done'
	| 'failed'
	| 'aborted'
	| 'interrupted'
	| 'timed_out';

export interface Ending {
	status: RunStatus;
	reason?: string;
	/** Set if it depends on more than the status. */
	advice?: string;
	/** True if the run may go on, although the service reported its end. */
	mayBeRunning?: boolean;
	/** The limit that closed the connection. */
	expired?: 'idle' | 'total' | 'workflow';
	warnings?: string[];
}

export interface StopCause extends Ending {
	status: 'interrupted' | 'timed_out';
	reason: string;
	/** Shown instead of the reason if the run had ended before. */
	warning?: string;
}

export const CONNECTION_CLOSED: StopCause = {
	status: 'interrupted',
	reason: 'The connection closed before the run finished',
};

interface StreamEnd {
	reported: Ending | undefined;
	isFinished: boolean;
	finishReason: string | undefined;
	lostLines: number;
	approvals: Approval[];
}

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

export interface Approval {
	approval_id: unknown;
	tool: string;
	tool_call_id: string;
	/** Text, if it never became complete. */
	input: unknown;
	reason: string | null;
}

/** The service itself decides on an automatic approval. */
export const approvalsOf = (parts: Part[]): Approval[] =>
	parts
		.filter(isToolPart)
		.filter(({ state, approval }) => state === 'approval-requested' && approval?.isAutomatic !== true)
		.map((part) => ({
			approval_id: part.approval!.id,
			tool: toolNameOf(part),
			tool_call_id: part.toolCallId,
			input: 'input' in part ? part.input : part.rawInput,
			reason: typeof part.approval!.requestReason === 'string' ? part.approval!.requestReason : null,
		}));

/** The inputs of calls would be stored, and shown to many. */
function approvalReason(approvals: Approval[], excerpt: Excerpt): string {
	const tools = approvals.map(({ tool }) => visible(tool)).join(', ');
	return `The run is waiting for approval of ${excerpt(tools, MAX_CALLS_CHARACTERS)}`;
}

function finished(end: StreamEnd, excerpt: Excerpt): Ending {
	const { finishReason = '', lostLines, approvals } = end;
	if (finishReason === 'error') return { status: 'failed', reason: NO_REASON.failed };
	const why = Object.hasOwn(EARLY_ENDS, finishReason) && EARLY_ENDS[finishReason];
	if (why) return { status: 'incomplete', reason: `The run stopped early because ${why}. The text may be incomplete` };
	if (approvals.length) return { status: 'needs_approval', reason: approvalReason(approvals, excerpt) };
	if (lostLines === 0) return { status: 'completed' };
	return {
		status: 'incomplete',
		reason: `Part of the output could not be read (${counted(lostLines, 'line')})`,
		advice: "Find the thread in the service's web console to see the full output",
	};
}

/** An error or abort counts first, then `finish` or `[DONE]`, then the end of the connection. */
export function endingOf(end: StreamEnd, { warning, ...interrupted }: StopCause, excerpt: Excerpt): Ending {
	if (!end.reported && !end.isFinished) return interrupted;
	const ending = end.reported ?? finished(end, excerpt);
	const isCut = warning !== undefined || (interrupted.mayBeRunning && !end.isFinished);
	const warnings = [...(ending.warnings ?? []), ...(warning === undefined ? [] : [warning])];
	return { ...ending, ...(end.reported && isCut && { mayBeRunning: true }), warnings };
}
