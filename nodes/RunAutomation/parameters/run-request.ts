import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';

export const DEFAULT_IDLE_SECONDS = 300;
export const DEFAULT_TOTAL_SECONDS = 1800;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The body of a start (contract, section 2.3). */
export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	model?: string;
	reasoningEffort?: string;
	version?: string;
}

/** One run as the form asks for it. */
export interface RunRequest {
	itemIndex: number;
	body: StartBody;
	/** Milliseconds; Infinity means no limit. */
	limits: { idle: number; total: number };
	output: 'simplified' | 'message';
	onIncomplete: 'error' | 'partial';
}

interface Options {
	idleTimeout?: unknown;
	ifIncomplete?: 'error' | 'partial';
	model?: string;
	output?: 'simplified' | 'message';
	reasoningEffort?: string;
	totalTimeout?: unknown;
	version?: string;
}

/**
 * Reads the form for one item, and refuses what the service would have to refuse.
 *
 * @throws NodeOperationError that names the field
 */
export function readRunRequest(context: IExecuteFunctions, itemIndex: number): RunRequest {
	const refuse = (message: string, description: string) =>
		new NodeOperationError(context.getNode(), message, { itemIndex, description: `${message}. ${description}` });
	const text = (value: unknown) => (value === undefined || value === null ? '' : String(value).trim());

	const query = text(context.getNodeParameter('query', itemIndex, ''));
	if (query === '') throw refuse('Task is empty', 'Enter in the field Task what the agent is to do');

	const threadId = text(context.getNodeParameter('threadId', itemIndex, ''));
	if (threadId !== '' && !UUID.test(threadId)) {
		throw refuse('Thread ID is not a UUID', 'Take it from the thread_id of an earlier run, or leave the field Thread ID empty');
	}

	const options = context.getNodeParameter('options', itemIndex, {}) as Options;
	const milliseconds = (value: unknown, name: string, fallback: number) => {
		const seconds = value === undefined ? fallback : Number(value === '' ? Number.NaN : value);
		if (!Number.isFinite(seconds) || seconds < 0) {
			throw refuse(`${name} is not a number of seconds`, `Enter a number in the option ${name}; 0 means no limit`);
		}
		return seconds === 0 ? Infinity : seconds * 1000;
	};

	const body: StartBody = { query };
	if (threadId !== '') body.thread_id = threadId;
	if (context.getNodeParameter('mode', itemIndex, 'wait') === 'background') body.detach = true;
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
		output: options.output ?? 'simplified',
		onIncomplete: options.ifIncomplete ?? 'error',
	};
}
