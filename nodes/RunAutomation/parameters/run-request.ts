import type { IExecuteFunctions } from 'n8n-workflow';

import { inputError } from '../../errors/node-error';
import { readNumber } from '../../inputs/number';
import { readText, TEXT_ADVICE } from '../../inputs/text';
import { findThreadIdProblem } from '../../inputs/thread-id';

export const DEFAULT_IDLE_SECONDS = 300;
export const DEFAULT_TOTAL_SECONDS = 1800;
export const DEFAULT_MAX_MEGABYTES = 64;
export const DEFAULT_CHUNK_LIMIT = 1000;

/** The body of a start. */
export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	model?: string;
	reasoningEffort?: string;
	version?: string;
}

/** What of a run is sent on while it goes on, where n8n streams. */
export type LiveKind = 'text' | 'tools' | 'data';

/** How the text of a run is read as JSON. */
export interface JsonRequest {
	requiredKeys: string[];
	splitIntoItems: boolean;
	onInvalid: 'error' | 'pass';
}

/** One run as the form asks for it. */
export interface RunRequest {
	itemIndex: number;
	body: StartBody;
	/** Milliseconds; Infinity means no limit. */
	limits: { idle: number; total: number };
	/** Bytes of the stream, after n8n has decompressed it; also the limit for all downloaded files together. */
	maxBytes: number;
	/** What is put out; `background` means that the run is only started. */
	operation: 'background' | 'chunks' | 'message' | 'parts' | 'result';
	/** How many chunks the operation `chunks` puts out at the most. */
	chunkLimit: number;
	onIncomplete: 'error' | 'partial';
	live: LiveKind[];
	/** Prefix of the binary properties that files are put into; undefined where they are not asked for. */
	filesProperty: string | undefined;
	json: JsonRequest | undefined;
}

/** The options that go into the body as they are, with their labels. */
const BODY_OPTIONS = { model: 'Model', reasoningEffort: 'Reasoning Effort', version: 'Version' };

interface Options {
	chunkLimit?: unknown;
	filesProperty?: unknown;
	idleTimeout?: unknown;
	ifIncomplete?: RunRequest['onIncomplete'];
	ifNotJson?: JsonRequest['onInvalid'];
	live?: LiveKind[];
	maxResponseSize?: unknown;
	model?: unknown;
	parallelRuns?: unknown;
	parseJson?: boolean;
	reasoningEffort?: unknown;
	requiredKeys?: unknown;
	splitJson?: boolean;
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
	unit: string;
}

/** A number option of the form; the fallback if it is not set. */
function numberOf(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	{ label, fallback, minimum, unit }: NumberOption,
): number {
	const number = value === undefined ? fallback : readNumber(value, minimum);
	if (number !== undefined) return number;
	const zero = minimum === 0 ? '; 0 means no limit' : '';
	const advice = `Enter a number of at least ${minimum} in the option ${label}${zero}`;
	throw inputError(context.getNode(), itemIndex, `${label} is not a number of ${unit}`, advice);
}

/**
 * Reads how many runs may go on at a time. It is one setting of the node: the one of the first item counts.
 *
 * @throws NodeOperationError that names the field
 */
export function readParallelRuns(context: IExecuteFunctions): number {
	const { parallelRuns } = context.getNodeParameter('options', 0, {}) as Options;
	const option = { label: 'Runs in Parallel', fallback: 1, minimum: 1, unit: 'runs' };
	return Math.floor(numberOf(context, 0, parallelRuns, option));
}

/**
 * Reads the form for one item, and refuses what the service would have to refuse.
 *
 * @throws NodeOperationError that names the field
 */
export function readRunRequest(context: IExecuteFunctions, itemIndex: number): RunRequest {
	const text = (value: unknown, label: string) => textOf(context, itemIndex, value, label);
	const refuse = (problem: string, advice: string) => inputError(context.getNode(), itemIndex, problem, advice);

	const query = text(context.getNodeParameter('query', itemIndex, ''), 'Task');
	if (query === '') throw refuse('Task is empty', 'Enter what the agent should do');
	const threadId = text(context.getNodeParameter('threadId', itemIndex, ''), 'Thread ID');
	const threadProblem = threadId === '' ? undefined : findThreadIdProblem(threadId);
	if (threadProblem) throw refuse(threadProblem.problem, threadProblem.advice);

	const options = context.getNodeParameter('options', itemIndex, {}) as Options;
	const number = (value: unknown, label: string, fallback: number, minimum: number, unit: string) =>
		numberOf(context, itemIndex, value, { label, fallback, minimum, unit });
	const milliseconds = (value: unknown, label: string, fallback: number) =>
		number(value, label, fallback, 0, 'seconds') * 1000 || Infinity;

	const body: StartBody = { query };
	if (threadId !== '') body.thread_id = threadId;
	const operation = context.getNodeParameter('operation', itemIndex, 'result') as RunRequest['operation'];
	if (operation === 'background') body.detach = true;
	for (const [name, label] of Object.entries(BODY_OPTIONS) as Array<[keyof typeof BODY_OPTIONS, string]>) {
		const value = text(options[name], label);
		if (value !== '') body[name] = value;
	}
	return {
		itemIndex,
		body,
		limits: {
			idle: milliseconds(options.idleTimeout, 'Idle Timeout', DEFAULT_IDLE_SECONDS),
			total: milliseconds(options.totalTimeout, 'Total Timeout', DEFAULT_TOTAL_SECONDS),
		},
		maxBytes: number(options.maxResponseSize, 'Maximum Response Size', DEFAULT_MAX_MEGABYTES, 0.001, 'megabytes') * 1e6,
		operation,
		chunkLimit: Math.floor(number(options.chunkLimit, 'Chunk Limit', DEFAULT_CHUNK_LIMIT, 1, 'chunks')),
		onIncomplete: options.ifIncomplete ?? 'error',
		live: options.live ?? ['text'],
		filesProperty: text(options.filesProperty, 'Output Data Field Name') || undefined,
		json: options.parseJson
			? {
					requiredKeys: text(options.requiredKeys, 'Required Keys')
						.split(',')
						.map((key) => key.trim())
						.filter(Boolean),
					splitIntoItems: options.splitJson === true,
					onInvalid: options.ifNotJson ?? 'error',
				}
			: undefined,
	};
}
