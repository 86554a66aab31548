import { counted, type Excerpt } from '../../values';
import type { Part } from './chunk';
import { isToolPart, toolNameOf } from './tool-calls';

/** How a run ended; see {@link endingOf}. The stream never says `not_done`, the agent does. */
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
	/** Why the run is not complete, in the server's own words if it gave any. Undefined for `completed`. */
	reason?: string;
	/** What to do next, if the way the reading ended tells more about it than the status. */
	advice?: string;
	/** Whether it may go on, although it has told that it failed or was aborted. */
	mayBeRunning?: boolean;
	/** Whether the connection was lost before the run told how it ended. */
	isLost?: boolean;
	/** What is odd about the end. */
	warnings?: string[];
}

/** Why the reading stopped: how the run ended, unless its stream says so itself. */
export interface StopCause extends Ending {
	status: 'interrupted' | 'timed_out';
	reason: string;
	/** What is odd about the end of a run that has told how it ended all the same. */
	warning?: string;
}

/** The body ended. */
export const ENDED: StopCause = {
	status: 'interrupted',
	reason: 'The connection closed before the run finished',
	isLost: true,
};

/** What to do about a run that has told that it failed or was aborted, but whose connection was left open. */
const MAY_GO_ON = 'Open its thread to see whether the run goes on';

interface StreamEnd {
	/** The first error or abort. */
	told: Ending | undefined;
	isFinished: boolean;
	finishReason: string | undefined;
	/** Lines with something of the result that could not be read. */
	lostLines: number;
	parts: Part[];
	approvals: Approvals;
}

/** The reasons of runs whose stream gives none. */
export const NO_REASON = {
	aborted: 'The run was aborted and gave no reason',
	failed: 'The run failed and gave no reason',
};

const EARLY_ENDS = new Map<string | undefined, string>([
	['length', 'it reached the length limit of the model'],
	['content-filter', 'a content filter of the model blocked the rest'],
	['interrupted', 'it was interrupted'],
]);

/** Characters of a list of tools. */
const MAX_LIST = 300;

/** Characters of everything that a person should approve. */
const MAX_ASKED = 2000;

/** The tool calls that wait for a person. An automatic approval is settled by the service itself. */
export const approvalsOf = (parts: Part[]) =>
	parts
		.filter(isToolPart)
		.filter(({ state, approval }) => state === 'approval-requested' && approval?.isAutomatic !== true)
		.map((part) => ({
			/** As the service sent it; the response names it. */
			approval_id: part.approval!.id,
			tool: toolNameOf(part),
			tool_call_id: part.toolCallId,
			/** The text so far, if the input never became complete. */
			input: 'input' in part ? part.input : part.rawInput,
			/** Why the service asks, if it says so. */
			reason: typeof part.approval!.requestReason === 'string' ? part.approval!.requestReason : null,
		}));

type Approvals = ReturnType<typeof approvalsOf>;

function waitsFor(approvals: Approvals, quote: Excerpt): string {
	const asked = approvals.map(({ tool, input, reason }) => {
		const text = typeof input === 'string' ? input : JSON.stringify(input);
		const call = text === undefined ? tool : `${tool} ${quote(text, MAX_LIST)}`;
		return reason === null ? call : `${call} (${quote(reason, MAX_LIST)})`;
	});
	return `The run is waiting for approval of ${quote(asked.join(', '), MAX_ASKED)}`;
}

/** The warning that a run has ended without the output of a tool call, which `stop` as its reason would not be. */
function missingOutputs({ finishReason, parts }: StreamEnd, quote: Excerpt): string[] {
	if (finishReason === undefined || finishReason === 'stop') return [];
	const calls = parts.filter(isToolPart).filter(({ state }) => !state.startsWith('output-'));
	const names = [...new Set(calls.map((part) => `"${toolNameOf(part)}"`))].join(', ');
	return names ? [`The run ended without the output of ${quote(names, MAX_LIST)}`] : [];
}

function finished(end: StreamEnd, quote: Excerpt): Ending {
	const { finishReason, lostLines, approvals } = end;
	if (finishReason === 'error') return { status: 'failed', reason: NO_REASON.failed };
	const why = EARLY_ENDS.get(finishReason);
	if (why) return { status: 'incomplete', reason: `The run stopped early because ${why}. The text may be incomplete` };
	if (approvals.length) return { status: 'needs_approval', reason: waitsFor(approvals, quote) };
	const warnings = missingOutputs(end, quote);
	if (lostLines === 0) return { status: 'completed', warnings };
	return {
		status: 'incomplete',
		reason: `A part of the output could not be read (${counted(lostLines, 'line')})`,
		advice: 'Open its thread to read the whole output',
		warnings,
	};
}

/**
 * Tells how a run ended. What the stream itself said wins over how the connection ended: an `error` or `abort` chunk,
 * then `finish` or `[DONE]`, then the cause.
 *
 * @param quote cuts what the service wrote, without secrets
 */
export function endingOf(end: StreamEnd, { warning, ...interrupted }: StopCause, quote: Excerpt): Ending {
	if (!end.told && !end.isFinished) return interrupted;
	const ending = end.told ?? finished(end, quote);
	if (warning === undefined) return ending;
	return {
		...ending,
		...(end.told && { advice: MAY_GO_ON, mayBeRunning: true }),
		warnings: [...(ending.warnings ?? []), warning],
	};
}
