import type { IExecuteFunctions } from 'n8n-workflow';

import { inputError } from '../../shared/failure';
import {
	fieldOf,
	nameOf,
	readBodyFields,
	readChoice,
	readChoices,
	readNumber,
	readOptionalNumber,
	readSwitch,
	readTask,
	readText,
	readThreadId,
	sortExpressions,
	withFallback,
} from '../../shared/form/read';
import { agentOptions, type Field } from '../../shared/form/fields';
import type { Execution } from '../../shared/execution';
import { resultInstruction, rowsInstruction } from '../reply/instruction';
import { readAgentData } from './agent-data';
import { entriesIn, formReader, type FormReader } from './reader';
import { limits, optionFields } from './options';
import { includedCheck, readRowsRequest } from './rows-request';

export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	[field: string]: unknown;
}

/** One run as the form describes it. */
export type RunRequest = ReturnType<ReturnType<typeof readRunRequest>>;

/**
 * Reads the settings that apply to all items, as the first item has them.
 *
 * @throws FailureError that names the field, or if there are more items than *Max Input Items* allows
 */
export function readNodeSettings(context: IExecuteFunctions) {
	// Only these: an expression of the first item that fails in another option concerns that item only.
	const option = <T>(name: string, read: (field: Field, value: unknown) => T): T => {
		const field = fieldOf(optionFields, name);
		return read(field, context.getNodeParameter(`options.${limits.name}.values.${name}`, 0, field.default));
	};
	const { length } = context.getInputData();
	option('maxRuns', (field, value) => {
		const limit = readOptionalNumber(field, value) ?? Infinity;
		if (length <= limit) return;
		const reason = `${length} input items exceed the limit of ${limit}`;
		throw inputError(reason, `Raise ${nameOf(field)}, or send fewer items to this node`);
	});
	return {
		parallelRuns: option('parallelRuns', readNumber),
		/** Milliseconds. */
		waitIfBusy: option('waitIfBusy', readNumber) * 1000,
	};
}

/** The task and the thread of one item, with hints about values that are unusual, but can be sent. */
function readTaskAndThread({ given }: FormReader, evaluate: (expression: string) => unknown) {
	const hints: string[] = [];
	const query = given('query', (field, ...values) => {
		const task = readTask(field, ...values, evaluate);
		if (task.empty.length) hints.push(`${nameOf(field)} was sent without a value for ${task.empty.join(', ')}`);
		return task.query;
	});
	const threadId = given('threadId', (field, value, stored) => {
		const id = readThreadId(field, value, stored);
		const [empty] = sortExpressions(stored, evaluate).empty;
		if (id === '' && empty !== undefined) {
			const advice = `If this is intended, write ${withFallback(empty)}`;
			hints.push(`${nameOf(field)} is empty, so a new thread was started. ${advice}`);
		}
		return id;
	});
	return { query, threadId, hints };
}

/** The body of a start, without the list of files, which are copied later. */
function readStartBody({ option }: FormReader, query: string, threadId: string, isDetached: boolean): StartBody {
	const body: StartBody = { ...option('additionalBodyFields', readBodyFields), query };
	if (threadId !== '') body.thread_id = threadId;
	if (isDetached) body.detach = true;
	for (const { name } of agentOptions) {
		const value = option(name, readText);
		if (value !== '') body[name] = value;
	}
	return body;
}

function readOutputSettings({ given, option }: FormReader, isRows: boolean) {
	const milliseconds = (name: string) => option(name, readNumber) * 1000 || Infinity;
	return {
		/** Milliseconds; Infinity means no limit. */
		limits: { idle: milliseconds('idleTimeout'), total: milliseconds('totalTimeout') },
		/** Bytes of the stream, after n8n has decompressed it; also the limit for all downloaded files together. */
		maxBytes: option('maxResponseSize', readNumber) * 1e6,
		rawOutput: given('output', readChoice<'chunks' | 'message' | 'parts'>),
		chunkLimit: given('returnAll', readSwitch) ? Infinity : given('limit', readNumber),
		maxCorrections: option('corrections', readNumber),
		/** Rows have no status: those of a run that stopped early would look complete. */
		returnsPartial: !isRows && option('ifIncomplete', readChoice<'error' | 'partial'>) === 'partial',
		liveKinds: option('live', readChoices<'data' | 'text' | 'tools'>),
		includeFiles: option('includeFiles', readSwitch),
		filesProperty: option('filesProperty', (field, ...values) => readText(field, ...values) || String(field.default)),
		downloadLinks: option('downloadLinks', readSwitch),
		simplify: given('simplify', readSwitch),
	};
}

/** Makes the function that reads the form for one item. It throws FailureError that names a field with an invalid value. */
export function readRunRequest(context: IExecuteFunctions, { isTool }: Execution) {
	const inputs = context.getInputData();
	const checkIncluded = includedCheck(inputs.map(({ json }) => json));
	return (itemIndex: number) => {
		const form = formReader(context, itemIndex);
		const { given, option } = form;
		const operation = given('operation', readChoice<'background' | 'raw' | 'result' | 'rows'>);
		// An agent leaves out values that it does not need.
		const evaluate = (expression: string): unknown => isTool || context.evaluateExpression(expression, itemIndex);
		const { query, threadId, hints } = readTaskAndThread(form, evaluate);
		const rows = operation === 'rows' ? readRowsRequest(form) : undefined;
		if (rows && !isTool) hints.push(...checkIncluded(rows, itemIndex));
		const checksDone = operation === 'rows' || (operation === 'result' && option('checkDone', readSwitch));
		const instruction = rows ? rowsInstruction(rows) : checksDone ? resultInstruction : '';

		// A tool has neither files nor data of an input item.
		const namesOf = (field: Field, ...values: [unknown, unknown]) => ({
			label: nameOf(field),
			names: isTool ? [] : entriesIn(readText(field, ...values)),
		});
		const data = readAgentData(inputs[itemIndex]!, option('agentData', namesOf));
		/** The task with a list of files, if any, with data, and with the instruction about the reply. */
		const taskWith = (files = '') => [query, files, data, instruction].filter(Boolean).join('\n\n');
		return {
			itemIndex,
			operation,
			body: readStartBody(form, taskWith(), threadId, operation === 'background'),
			taskWith,
			agentFiles: option('agentFiles', namesOf),
			...readOutputSettings(form, operation === 'rows'),
			hints,
			/** Whether the agent is asked to report that it could not do its task. */
			checksDone,
			rows,
		};
	};
}
