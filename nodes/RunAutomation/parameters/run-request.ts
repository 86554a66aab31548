import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';

import { isUuid } from '../../shared/uuid';

export const DEFAULT_IDLE_SECONDS = 300;
export const DEFAULT_TOTAL_SECONDS = 1800;
export const DEFAULT_MAX_MEGABYTES = 64;
export const DEFAULT_CHUNK_LIMIT = 1000;

/** The body of a start (contract, section 2.3). */
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

interface Options {
	chunkLimit?: unknown;
	filesProperty?: string;
	idleTimeout?: unknown;
	ifIncomplete?: RunRequest['onIncomplete'];
	ifNotJson?: JsonRequest['onInvalid'];
	live?: LiveKind[];
	maxResponseSize?: unknown;
	model?: string;
	parallelRuns?: unknown;
	parseJson?: boolean;
	reasoningEffort?: string;
	requiredKeys?: string;
	splitJson?: boolean;
	totalTimeout?: unknown;
	version?: string;
}

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value).trim());

const refuse = (context: IExecuteFunctions, itemIndex: number, message: string, advice: string) =>
	new NodeOperationError(context.getNode(), message, { itemIndex, description: `${message}. ${advice}` });

/** A number of the form that is at least `minimum`; text that holds one will do. */
function readNumber(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	{ name, fallback, minimum, unit }: { name: string; fallback: number; minimum: number; unit: string },
): number {
	const number = value === undefined ? fallback : text(value) === '' ? Number.NaN : Number(value);
	if (Number.isFinite(number) && number >= minimum) return number;
	const zero = minimum === 0 ? '; 0 means no limit' : '';
	throw refuse(
		context,
		itemIndex,
		`${name} is not a number of ${unit}`,
		`Enter a number of at least ${minimum} in the option ${name}${zero}`,
	);
}

/**
 * Reads how many runs may go on at a time. It is one setting of the node: the one of the first item counts.
 *
 * @throws NodeOperationError that names the field
 */
export function readParallelRuns(context: IExecuteFunctions): number {
	const { parallelRuns } = context.getNodeParameter('options', 0, {}) as Options;
	return Math.floor(
		readNumber(context, 0, parallelRuns, { name: 'Runs in Parallel', fallback: 1, minimum: 1, unit: 'runs' }),
	);
}

/**
 * Reads the form for one item, and refuses what the service would have to refuse.
 *
 * @throws NodeOperationError that names the field
 */
export function readRunRequest(context: IExecuteFunctions, itemIndex: number): RunRequest {
	const query = text(context.getNodeParameter('query', itemIndex, ''));
	if (query === '')
		throw refuse(context, itemIndex, 'Task is empty', 'Enter in the field Task what the agent is to do');

	const threadId = text(context.getNodeParameter('threadId', itemIndex, ''));
	if (threadId !== '' && !isUuid(threadId)) {
		const advice = 'Take it from the thread_id of an earlier run, or leave the field Thread ID empty';
		throw refuse(context, itemIndex, 'Thread ID is not a UUID', advice);
	}

	const options = context.getNodeParameter('options', itemIndex, {}) as Options;
	const number = (value: unknown, name: string, fallback: number, minimum: number, unit: string) =>
		readNumber(context, itemIndex, value, { name, fallback, minimum, unit });
	const milliseconds = (value: unknown, name: string, fallback: number) =>
		number(value, name, fallback, 0, 'seconds') * 1000 || Infinity;

	const body: StartBody = { query };
	if (threadId !== '') body.thread_id = threadId;
	const operation = context.getNodeParameter('operation', itemIndex, 'result') as RunRequest['operation'];
	if (operation === 'background') body.detach = true;
	for (const name of ['model', 'reasoningEffort', 'version'] as const) {
		const value = text(options[name]);
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
		filesProperty: text(options.filesProperty) || undefined,
		json: options.parseJson
			? {
					requiredKeys: text(options.requiredKeys).split(',').map(text).filter(Boolean),
					splitIntoItems: options.splitJson === true,
					onInvalid: options.ifNotJson ?? 'error',
				}
			: undefined,
	};
}
