// Reads and checks one item's form completely, before anything is sent.

import type { IExecuteFunctions } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import { fieldOf, nameOf } from '../../shared/form/field';
import { readBodyFields, readTask, readThreadId } from '../../shared/form/read-start';
import {
	namingField,
	readChoice,
	readChoices,
	readNumber,
	readOptionalNumber,
	readSwitch,
	readText,
	type FieldReader,
} from '../../shared/form/read';
import { classifyExpressions, withFallback, type Evaluate } from '../../shared/form/expressions';
import { modelFields, type Field } from '../../shared/form/fields';
import { inputItems, type Execution } from '../../shared/n8n/execution';
import { resultInstruction, rowsInstruction } from './task/prompt';
import { readAgentData, readFileNames, readNames, type NamesInForm } from './task/agent-data';
import { formReader, type FormReader } from './reader';
import { optionFields, pathOf } from './options';
import { fieldsCopier, type IncludedFields } from './included';
import { hidesNames, readRowsRequest, type RowsRequest } from './rows-request';

export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	[field: string]: unknown;
}

export interface RunRequest {
	itemIndex: number;
	operation: 'background' | 'raw' | 'result' | 'rows';
	/** The list of files is missing, because they are copied later. */
	body: StartBody;
	/** Combines the task, its files and data, and the instruction about the reply. */
	taskWith(files?: string): string;
	agentFiles: NamesInForm;
	/** Milliseconds; Infinity means no limit. */
	limits: { idle: number; total: number };
	/** The limit of the decompressed stream, and of all downloaded files together. */
	maxBytes: number;
	rawOutput: 'chunks' | 'message' | 'parts';
	chunkLimit: number;
	maxCorrections: number;
	returnsPartial: boolean;
	liveKinds: Array<'data' | 'text' | 'tools'>;
	includeFiles: boolean;
	/** Prefix of the binary fields. */
	filesProperty: string;
	downloadLinks: boolean;
	simplify: boolean;
	/** Sentences about unusual values. */
	hints: string[];
	/** True if the agent is asked to report that it could not do its task. */
	checksDone: boolean;
	rows: RowsRequest | undefined;
	/** Input fields that each row gets. */
	included: IncludedFields | undefined;
}

export interface NodeSettings {
	parallelRuns: number;
	/** Milliseconds. */
	waitIfBusy: number;
}

/** Reads all items' limits from the first item. Other options' expressions may fail for single items. */
export function readNodeSettings(context: IExecuteFunctions): NodeSettings {
	const option = <T>(name: string, read: (field: Field, value: unknown) => T): T => {
		const field = fieldOf(optionFields, name);
		return read(
			field,
			namingField(field, () => context.getNodeParameter(pathOf(field), 0, field.default)),
		);
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
		waitIfBusy: option('waitIfBusy', readNumber) * 1000,
	};
}

function readTaskAndThread({ given }: FormReader, evaluate: Evaluate, where: string) {
	const hints: string[] = [];
	const query = given('query', (field, ...values) => {
		const task = readTask(field, ...values, evaluate, where);
		if (task.missing.length) hints.push(`${nameOf(field)} was sent without a value for ${task.missing.join(', ')}`);
		return task.query;
	});
	const threadId = given('threadId', (field, value, stored) => {
		const id = readThreadId(field, value, stored);
		const [empty] = classifyExpressions(stored, evaluate).empty;
		if (id === '' && empty !== undefined) {
			const advice = `If this is intended, write ${withFallback(empty)}`;
			hints.push(`${nameOf(field)} is empty, so a new thread was started. ${advice}`);
		}
		return id;
	});
	return { query, threadId, hints };
}

function readStartBody({ option }: FormReader, query: string, threadId: string, isDetached: boolean): StartBody {
	const body: StartBody = { ...option('additionalBodyFields', readBodyFields), query };
	if (threadId !== '') body.thread_id = threadId;
	if (isDetached) body.detach = true;
	for (const { name } of modelFields) {
		const value = option(name, readText);
		if (value !== '') body[name] = value;
	}
	return body;
}

function readOutputSettings({ given, option }: FormReader, isRows: boolean) {
	const milliseconds = (name: string) => option(name, readNumber) * 1000 || Infinity;
	return {
		limits: { idle: milliseconds('idleTimeout'), total: milliseconds('totalTimeout') },
		maxBytes: option('maxResponseSize', readNumber) * 1e6,
		rawOutput: given('output', readChoice<RunRequest['rawOutput']>),
		chunkLimit: given('returnAll', readSwitch) ? Infinity : given('limit', readNumber),
		maxCorrections: option('corrections', readNumber),
		// Rows have no status, so an incomplete run's rows would look complete.
		returnsPartial: !isRows && option('ifIncomplete', readChoice<'error' | 'partial'>) === 'partial',
		liveKinds: option('live', readChoices<'data' | 'text' | 'tools'>),
		includeFiles: option('includeFiles', readSwitch),
		filesProperty: option('filesProperty', readText),
		downloadLinks: option('downloadLinks', readSwitch),
		simplify: given('simplify', readSwitch),
	};
}

export function readRunRequest(context: IExecuteFunctions, execution: Execution): (itemIndex: number) => RunRequest {
	const { isTool } = execution;
	const inputs = inputItems(context);
	const isHidden = hidesNames(execution);
	const copyFields = fieldsCopier(inputs, isHidden);
	return (itemIndex: number) => {
		const form = formReader(context, itemIndex, isTool);
		const { given, option } = form;
		const operation = given('operation', readChoice<RunRequest['operation']>);
		// AI agents leave out values.
		const evaluate = (expression: string): unknown => isTool || context.evaluateExpression(expression, itemIndex);
		const { query, threadId, hints } = readTaskAndThread(
			form,
			evaluate,
			inputs.length > 1 ? ` for input item ${itemIndex}` : '',
		);
		const rows = operation === 'rows' ? readRowsRequest(form, isHidden) : undefined;
		const included = rows && !isTool ? copyFields(rows, inputs[itemIndex]!) : undefined;
		if (included) hints.push(...rows!.hints, ...included.hints);
		const checksDone = operation === 'rows' || (operation === 'result' && option('checkDone', readSwitch));
		const instruction = rows ? rowsInstruction(rows) : checksDone ? resultInstruction : '';

		const item = inputs[itemIndex]!;
		const byPerson =
			(read: FieldReader<NamesInForm>): FieldReader<NamesInForm> =>
			(...given) =>
				isTool ? { label: nameOf(given[0]), names: [] } : read(...given);
		const data = readAgentData(item, option('agentData', byPerson(readNames)));
		const taskWith = (files = '') => [query, files, data, instruction].filter(Boolean).join('\n\n');
		return {
			itemIndex,
			operation,
			body: readStartBody(form, taskWith(), threadId, operation === 'background'),
			taskWith,
			agentFiles: option('agentFiles', byPerson(readFileNames)),
			...readOutputSettings(form, operation === 'rows'),
			hints,
			checksDone,
			rows,
			included,
		};
	};
}
