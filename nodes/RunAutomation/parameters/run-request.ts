import type { IExecuteFunctions } from 'n8n-workflow';

import { inputError } from '../../errors/failure';
import {
	findEmptyExpressions,
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
	withFallback,
	type Field,
} from '../../form/read-field';
import { agentOptions } from '../../form/shared-fields';
import type { Execution } from '../../execution/execution-context';
import { resultInstruction, rowsInstruction } from '../rows/instruction';
import { readAgentData } from './agent-data';
import { entriesIn, formReader } from './form-reader';
import { includedCheck, readRowsRequest } from './rows-request';

export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	[field: string]: unknown;
}

/** One run as the form asks for it. */
export type RunRequest = ReturnType<ReturnType<typeof readRunRequest>>;

/**
 * Reads the settings that apply to all items, as the first item has them.
 *
 * @throws Failed that names the field, or if there are more items than *Input Items* allows
 */
export function readNodeSettings(context: IExecuteFunctions) {
	const { option } = formReader(context, 0);
	const { length } = context.getInputData();
	option('maxRuns', (field, value) => {
		const limit = readOptionalNumber(field, value) ?? Infinity;
		if (length <= limit) return;
		throw inputError(
			`${length} input items exceed the limit of ${limit}`,
			`Raise ${nameOf(field)}, or send fewer items to this node`,
			'none',
		);
	});
	return {
		parallelRuns: option('parallelRuns', readNumber),
		/** Milliseconds. */
		waitIfBusy: option('waitIfBusy', readNumber) * 1000,
	};
}

/**
 * Makes the function that reads the form for one item, and refuses what the service would refuse. It throws Failed that
 * names the field.
 */
export function readRunRequest(context: IExecuteFunctions, { isTool }: Execution) {
	const inputs = context.getInputData();
	const checkIncluded = includedCheck(inputs.map(({ json }) => json));
	return (itemIndex: number) => {
		const form = formReader(context, itemIndex);
		const { given, option } = form;
		const operation = given('operation', readChoice<'background' | 'raw' | 'result' | 'rows'>);
		// An agent leaves out what it does not need.
		const evaluate = (expression: string): unknown => isTool || context.evaluateExpression(expression, itemIndex);
		const hints: string[] = [];
		const query = given('query', (field, ...values) => {
			const task = readTask(field, ...values, evaluate);
			if (task.empty.length) {
				hints.push(`${nameOf(field)} was sent without a value for ${task.empty.join(', ')}`);
			}
			return task.query;
		});
		const threadId = given('threadId', (field, value, stored) => {
			const id = readThreadId(field, value, stored);
			const { empty } = findEmptyExpressions(stored, evaluate);
			if (id === '' && empty.length) {
				const label = nameOf(field);
				const advice = `If that is meant, write ${withFallback(empty[0])}`;
				hints.push(`${label} has no value, so that a new thread was started. ${advice}`);
			}
			return id;
		});
		const rows = operation === 'rows' ? readRowsRequest(form) : undefined;
		if (rows && !isTool) hints.push(...checkIncluded(rows, itemIndex));
		const checksDone = operation === 'rows' || (operation === 'result' && option('checkDone', readSwitch));
		const instruction = rows ? rowsInstruction(rows) : checksDone ? resultInstruction : '';

		// A tool has neither files nor data of an input item.
		const namesOf = (field: Field, ...values: [unknown, unknown]) => ({
			label: nameOf(field),
			names: isTool ? [] : entriesIn(readText(field, ...values)),
		});
		const data = readAgentData(inputs[itemIndex], option('agentData', namesOf));
		/** The task with a list of files, if there are any, with data, and with what is said of the reply. */
		const taskWith = (files = '') => [query, files, data, instruction].filter(Boolean).join('\n\n');
		const body: StartBody = { ...option('additionalBodyFields', readBodyFields), query: taskWith() };
		if (threadId !== '') body.thread_id = threadId;
		if (operation === 'background') body.detach = true;
		for (const { name } of agentOptions) {
			const value = option(name, readText);
			if (value !== '') body[name] = value;
		}
		const isRead = operation === 'result' || operation === 'rows';
		const milliseconds = (name: string) => option(name, readNumber) * 1000 || Infinity;
		return {
			itemIndex,
			body,
			taskWith,
			agentFiles: option('agentFiles', namesOf),
			/** Milliseconds; Infinity means no limit. */
			limits: { idle: milliseconds('idleTimeout'), total: milliseconds('totalTimeout') },
			/** Bytes of the stream, after n8n has decompressed it; also the limit for all downloaded files together. */
			maxBytes: option('maxResponseSize', readNumber) * 1e6,
			operation,
			rawOutput: given('output', readChoice<'chunks' | 'message' | 'parts'>),
			/** Chunks that are returned at most. */
			chunkLimit: given('returnAll', readSwitch) ? Infinity : given('limit', readNumber),
			/** Whether a run whose connection was lost is continued in its thread. */
			continueInThread: isRead && option('ifConnectionBreaks', readChoice<string>) === 'askInThread',
			/** Runs that may follow the first one in its thread. */
			followUps: option('followUps', readNumber),
			onIncomplete: option('ifIncomplete', readChoice<'error' | 'partial'>),
			live: option('live', readChoices<'data' | 'text' | 'tools'>),
			includeFiles: option('includeFiles', readSwitch),
			filesProperty: option('filesProperty', (field, ...values) => readText(field, ...values) || String(field.default)),
			downloadLinks: option('downloadLinks', readSwitch),
			simplify: given('simplify', readSwitch),
			/** What a person should know of what the form says, although it can be sent. */
			hints,
			/** Whether the agent says if it could not do its task. */
			checksDone,
			/** For the operation `rows` only. */
			rows,
		};
	};
}
