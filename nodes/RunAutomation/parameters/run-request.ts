import type { IExecuteFunctions } from 'n8n-workflow';

import { inputError } from '../../errors/node-error';
import { readNumber } from '../../inputs/number';
import { readText, TEXT_ADVICE } from '../../inputs/text';
import { findThreadIdProblem } from '../../inputs/thread-id';
import { rowsInstruction } from '../rows/instruction';
import { readRowsRequest, type RowsRequest } from './rows-request';

export const DEFAULT_IDLE_SECONDS = 300;
export const DEFAULT_TOTAL_SECONDS = 1800;
export const DEFAULT_MAX_MEGABYTES = 64;
export const DEFAULT_CHUNK_LIMIT = 1000;
export const DEFAULT_FILES_PROPERTY = 'file';
export const DEFAULT_FOLLOW_UPS = 1;

/** The body of a start. */
export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	model?: string;
	reasoningEffort?: string;
	version?: string;
}

/** What n8n streams during a run. */
export type LiveKind = 'text' | 'tools' | 'data';

/** One run as the form asks for it. */
export interface RunRequest {
	itemIndex: number;
	body: StartBody;
	/** Milliseconds; Infinity means no limit. */
	limits: { idle: number; total: number };
	/** Bytes of the stream, after n8n has decompressed it; also the limit for all downloaded files together. */
	maxBytes: number;
	/** What the node does; with `background` the run is only started. */
	operation: 'background' | 'raw' | 'result' | 'rows';
	/** What the operation `raw` returns: one item per run, per part of the message, or per chunk. */
	rawOutput: 'chunks' | 'message' | 'parts';
	/** Maximum number of chunks to return per run. */
	chunkLimit: number;
	onIncomplete: 'error' | 'partial';
	/** Whether *Retry On Fail* may start a run again that failed or was aborted. */
	restartFailed: boolean;
	live: LiveKind[];
	/** Prefix of the names of binary fields. */
	filesProperty: string;
	/** Whether to download linked files. Files that the stream carries always become binary data. */
	downloadLinks: boolean;
	/** Whether the result has a few fields only. */
	simplify: boolean;
	/** Present for the operation `rows` only. */
	rows: RowsRequest | undefined;
}

/** The options that are sent unchanged, with their labels. */
const BODY_OPTIONS = { model: 'Agent: Model', reasoningEffort: 'Agent: Reasoning Effort', version: 'Agent: Version' };

interface Options {
	chunkLimit?: unknown;
	downloadLinks?: unknown;
	filesProperty?: unknown;
	idleTimeout?: unknown;
	ifIncomplete?: RunRequest['onIncomplete'];
	ifNoRows?: unknown;
	ifRowsDoNotFit?: unknown;
	includeRunDetails?: unknown;
	live?: LiveKind[];
	maxFollowUps?: unknown;
	maxResponseSize?: unknown;
	maxRuns?: unknown;
	model?: unknown;
	parallelRuns?: unknown;
	reasoningEffort?: unknown;
	restartFailed?: unknown;
	totalTimeout?: unknown;
	version?: unknown;
}

/** A text field of the form; see {@link readText}. */
function textOf(context: IExecuteFunctions, itemIndex: number, value: unknown, label: string): string {
	const { text, problem } = readText(value, label);
	if (problem !== undefined) throw inputError(context.getNode(), itemIndex, problem, TEXT_ADVICE);
	return text;
}

interface NumberOption {
	label: string;
	fallback: number;
	minimum: number;
}

/** A number option of the form; the fallback if it is not set. */
function numberOf(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	{ label, fallback, minimum }: NumberOption,
): number {
	const number = value === undefined ? fallback : readNumber(value, minimum);
	if (number !== undefined) return number;
	const advice = 'Correct this option, or remove it to use the default';
	throw inputError(context.getNode(), itemIndex, `${label} must be a number of at least ${minimum}`, advice);
}

/**
 * Reads the settings that apply to all items, as the first item has them.
 *
 * @returns the maximum number of runs at the same time
 * @throws NodeOperationError that names the field, or if there are more items than *Limit: Input Items* allows
 */
export function readNodeSettings(context: IExecuteFunctions): { parallelRuns: number } {
	const { parallelRuns, maxRuns } = context.getNodeParameter('options', 0) as Options;
	const number = (value: unknown, label: string, fallback: number) =>
		Math.floor(numberOf(context, 0, value, { label, fallback, minimum: 1 }));
	const isLimited = maxRuns != null && maxRuns !== '';
	const limit = isLimited ? number(maxRuns, 'Limit: Input Items', 1) : Infinity;
	const { length } = context.getInputData();
	if (length > limit) {
		const advice = 'No run was started. Raise Limit: Input Items in the options, or send fewer items to this node';
		throw inputError(context.getNode(), 0, `${length} input items exceed the limit of ${limit}`, advice);
	}
	return { parallelRuns: number(parallelRuns, 'Limit: Runs in Parallel', 1) };
}

/**
 * Reads the form for one item, and refuses what the service would refuse.
 *
 * @throws NodeOperationError that names the field
 */
export function readRunRequest(context: IExecuteFunctions, itemIndex: number): RunRequest {
	const text = (value: unknown, label: string) => textOf(context, itemIndex, value, label);
	const refuse = (problem: string, advice: string) => inputError(context.getNode(), itemIndex, problem, advice);

	const query = text(context.getNodeParameter('query', itemIndex), 'Task');
	if (query === '') throw refuse('Task is empty', 'Enter what the agent should do');
	const threadId = text(context.getNodeParameter('threadId', itemIndex), 'Thread ID');
	const threadProblem = threadId === '' ? undefined : findThreadIdProblem(threadId);
	if (threadProblem) throw refuse(threadProblem.problem, threadProblem.advice);

	const options = context.getNodeParameter('options', itemIndex) as Options;
	const number = (value: unknown, label: string, fallback: number, minimum: number) =>
		numberOf(context, itemIndex, value, { label, fallback, minimum });
	const milliseconds = (value: unknown, label: string, fallback: number) =>
		number(value, label, fallback, 0) * 1000 || Infinity;

	const operation = context.getNodeParameter('operation', itemIndex) as RunRequest['operation'];
	const maxFollowUps = Math.floor(number(options.maxFollowUps, 'Maximum Follow-Ups', DEFAULT_FOLLOW_UPS, 0));
	const rows = operation === 'rows' ? readRowsRequest(context, itemIndex, options, maxFollowUps) : undefined;
	const body: StartBody = { query: rows ? `${query}\n\n${rowsInstruction(rows)}` : query };
	if (threadId !== '') body.thread_id = threadId;
	if (operation === 'background') body.detach = true;
	for (const [name, label] of Object.entries(BODY_OPTIONS) as Array<[keyof typeof BODY_OPTIONS, string]>) {
		const value = text(options[name], label);
		if (value !== '') body[name] = value;
	}
	return {
		itemIndex,
		body,
		limits: {
			idle: milliseconds(options.idleTimeout, 'Limit: Idle Timeout (Seconds)', DEFAULT_IDLE_SECONDS),
			total: milliseconds(options.totalTimeout, 'Limit: Total Timeout (Seconds)', DEFAULT_TOTAL_SECONDS),
		},
		maxBytes: number(options.maxResponseSize, 'Limit: Response Size (MB)', DEFAULT_MAX_MEGABYTES, 0.001) * 1e6,
		operation,
		rawOutput: context.getNodeParameter('output', itemIndex, 'message') as RunRequest['rawOutput'],
		chunkLimit: Math.floor(number(options.chunkLimit, 'Limit: Chunks', DEFAULT_CHUNK_LIMIT, 1)),
		onIncomplete: options.ifIncomplete ?? 'error',
		restartFailed: options.restartFailed === true,
		live: options.live ?? ['text'],
		filesProperty: text(options.filesProperty, 'Files: Output Field Name') || DEFAULT_FILES_PROPERTY,
		downloadLinks: options.downloadLinks === true,
		simplify: context.getNodeParameter('simplify', itemIndex, true) !== false,
		rows,
	};
}
