import { shorten } from '../../values';
import type { Part } from './part';
import { isToolPart, toolNameOf, type ToolPart } from './tool-calls';

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

/** Why the reading stopped: how the run ended, unless its stream says so itself. */
export interface StopCause {
	status: 'interrupted' | 'timed_out';
	reason: string;
	/** What to do next, if that is more than the status tells. */
	advice?: string;
	/** What is odd about the end of a run that has told how it ended all the same. */
	warning?: string;
}

/** The body ended. */
export const ENDED: StopCause = {
	status: 'interrupted',
	reason: 'The connection closed before the run finished',
};

/** A tool call that waits for a person to allow it. */
export interface Approval {
	/** As the service sent it; the response names it. */
	approval_id: unknown;
	tool: string;
	tool_call_id: string;
	input: unknown;
	/** Why the service asks, if it says so. */
	reason: string | null;
}

interface StreamEnd {
	/** Lines with something of the result that could not be read. */
	lostLines: number;
	error?: string;
	abort?: string;
	isFinished: boolean;
	finishReason?: string;
	parts: Part[];
}

interface Ending {
	status: RunStatus;
	reason?: string;
	advice?: string;
	approvals: Approval[];
	warnings: string[];
}

export const NO_REASON = 'The run failed and gave no reason';

const EARLY_ENDS = new Map<string | undefined, string>([
	['length', 'it reached the length limit of the model'],
	['content-filter', 'a content filter of the model blocked the rest'],
	['interrupted', 'it was interrupted'],
]);

/** Characters of a list of tools. */
const MAX_LIST = 300;

/** Characters of everything that a person should approve. */
const MAX_REASON = 2000;

const quotedList = (names: string[]) => shorten([...new Set(names.map((name) => `"${name}"`))].join(', '), MAX_LIST);

const isWaiting = ({ state, approval }: ToolPart) => state === 'approval-requested' && approval?.isAutomatic !== true;

/** The tool calls that wait for a person. An automatic approval is settled by the service itself. */
function approvalsOf(parts: Part[]): Approval[] {
	return parts
		.filter(isToolPart)
		.filter(isWaiting)
		.map((part) => {
			const { id, requestReason } = part.approval!;
			const call = { approval_id: id, tool: toolNameOf(part), tool_call_id: part.toolCallId, input: part.input };
			return { ...call, reason: typeof requestReason === 'string' ? requestReason : null };
		});
}

function waitsFor(approvals: Approval[]): string {
	const asked = approvals.map(({ tool, input, reason }) => {
		const call = input === undefined ? tool : `${tool} ${shorten(JSON.stringify(input), MAX_LIST)}`;
		return reason === null ? call : `${call} (${shorten(reason, MAX_LIST)})`;
	});
	return `The run is waiting for approval of ${shorten(asked.join(', '), MAX_REASON)}`;
}

/** The warning that a run has ended without the output of a tool call, which `stop` as its reason would not be. */
function missingOutputs({ finishReason, parts }: StreamEnd): string[] {
	if (finishReason === undefined || finishReason === 'stop') return [];
	const names = parts
		.filter(isToolPart)
		.filter(({ state }) => !state.startsWith('output-'))
		.map(toolNameOf);
	return names.length ? [`The run ended without the output of ${quotedList(names)}`] : [];
}

function finished(end: StreamEnd, approvals: Approval[]): Omit<Ending, 'approvals'> {
	const { finishReason } = end;
	if (finishReason === 'error') return { status: 'failed', reason: NO_REASON, warnings: [] };
	const why = EARLY_ENDS.get(finishReason);
	if (why) {
		const reason = `The run stopped early because ${why}. The text may be incomplete`;
		return { status: 'incomplete', reason, warnings: [] };
	}
	if (approvals.length) return { status: 'needs_approval', reason: waitsFor(approvals), warnings: [] };
	return { ...(end.lostLines ? damaged(end.lostLines) : { status: 'completed' }), warnings: missingOutputs(end) };
}

/** A run that has ended as planned, but of whose stream something is missing. */
const damaged = (lines: number): Pick<Ending, 'status' | 'reason' | 'advice'> => ({
	status: 'incomplete',
	reason: `A part of the output could not be read (${lines} ${lines === 1 ? 'line' : 'lines'})`,
	advice: 'Open its thread to read the whole output; asking for it again is billed',
});

/**
 * Tells how a run ended. What the stream itself said wins over how the connection ended: an `error` or `abort` chunk,
 * then `finish` or `[DONE]`, then the cause.
 */
export function endingOf(end: StreamEnd, cause: StopCause): Ending {
	const approvals = approvalsOf(end.parts);
	const { warning, ...interrupted } = cause;
	const odd = warning === undefined ? [] : [warning];
	if (end.error !== undefined) return { status: 'failed', reason: end.error, approvals, warnings: odd };
	if (end.abort !== undefined) return { status: 'aborted', reason: end.abort, approvals, warnings: odd };
	if (!end.isFinished) return { ...interrupted, approvals, warnings: [] };
	const { warnings, ...ending } = finished(end, approvals);
	return { ...ending, approvals, warnings: [...warnings, ...odd] };
}
