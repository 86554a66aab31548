// Reads and checks one item's form completely, before anything is sent.

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fieldOf, quotedLabel } from '../../shared/form/field';
import { readBodyFields, readTask, readThreadId } from '../../shared/form/read-start';
import {
	namingField,
	readChoice,
	readChoices,
	readNumber,
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
import { optionFields } from './options';
import { fieldsCopier } from './included';
import { readRowsRequest, type RowsRequest } from './rows-request';

export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	[field: string]: unknown;
}

export interface RunRequest {
	itemIndex: number;
	operation: 'background' | 'raw' | 'result' | 'rows';
	/** Its task has no list of files yet: they are copied later. */
	body: StartBody;
	/** The task with its files and data, and the instruction about the reply. */
	taskWith(files?: string): string;
	agentFiles: NamesInForm;
	/** Milliseconds; Infinity means no limit. */
	limits: { idle: number; total: number };
	/** Bytes of the decompressed stream, and of all downloaded files together. */
	maxBytes: number;
	rawOutput: 'chunks' | 'message';
	returnsPartial: boolean;
	liveKinds: Array<'data' | 'text' | 'tools'>;
	includeFiles: boolean;
	filesProperty: string;
	downloadLinks: boolean;
	simplify: boolean;
	/** Sentences about unusual input. */
	notes: string[];
	/** True if the agent is asked to report what stopped it. */
	checksDone: boolean;
	rows: RowsRequest | undefined;
	/** The input fields of each row, over which columns have precedence. */
	included: IDataObject;
}

export interface NodeSettings {
	parallelRuns: number;
	/** Milliseconds. */
	waitIfBusy: number;
}

/** The first item's limits count. Other options' expressions may fail for single items. */
export function readNodeSettings(context: IExecuteFunctions): NodeSettings {
	const readOption = <T>(name: string, read: (field: Field, value: unknown) => T): T => {
		const field = fieldOf(optionFields, name);
		return read(
			field,
			namingField(field, () => context.getNodeParameter(`options.${name}`, 0, field.default)),
		);
	};
	return {
		parallelRuns: readOption('parallelRuns', readNumber),
		waitIfBusy: readOption('waitIfBusy', readNumber) * 1000,
	};
}

function readTaskAndThread({ readField }: FormReader, evaluate: Evaluate, where: string) {
	const notes: string[] = [];
	const query = readField('query', (field, ...values) => {
		const task = readTask(field, ...values, evaluate, where);
		if (task.missing.length)
			notes.push(`${quotedLabel(field)} was sent without a value for ${task.missing.join(', ')}`);
		return task.query;
	});
	const threadId = readField('threadId', (field, value, stored) => {
		const id = readThreadId(field, value, stored);
		const [empty] = classifyExpressions(stored, evaluate).empty;
		if (id === '' && empty !== undefined) {
			const advice = `If this is intended, write ${withFallback(empty)}`;
			notes.push(`${quotedLabel(field)} is empty, so a new thread was started. ${advice}`);
		}
		return id;
	});
	return { query, threadId, notes };
}

function readStartBody({ readOption }: FormReader, query: string, threadId: string, isDetached: boolean): StartBody {
	const body: StartBody = { ...readOption('additionalBodyFields', readBodyFields), query };
	if (threadId !== '') body.thread_id = threadId;
	if (isDetached) body.detach = true;
	for (const { name } of modelFields) {
		const value = readOption(name, readText);
		if (value !== '') body[name] = value;
	}
	return body;
}

function readOutputSettings({ readField, readOption }: FormReader, isRows: boolean) {
	const milliseconds = (name: string) => readOption(name, readNumber) * 1000 || Infinity;
	return {
		limits: { idle: milliseconds('idleTimeout'), total: milliseconds('totalTimeout') },
		maxBytes: readOption('maxResponseSize', readNumber) * 1e6,
		rawOutput: readField('output', readChoice<RunRequest['rawOutput']>),
		// Rows have no status, so an incomplete run's rows would look complete.
		returnsPartial: !isRows && readOption('ifIncomplete', readChoice<'error' | 'partial'>) === 'partial',
		liveKinds: readOption('live', readChoices<'data' | 'text' | 'tools'>),
		includeFiles: readOption('includeFiles', readSwitch),
		filesProperty: readOption('filesProperty', readText),
		downloadLinks: readOption('downloadLinks', readSwitch),
		simplify: readField('simplify', readSwitch),
	};
}

export function readRunRequest(context: IExecuteFunctions, execution: Execution): (itemIndex: number) => RunRequest {
	const { isTool } = execution;
	const inputs = inputItems(context);
	const copyFields = fieldsCopier(inputs);
	return (itemIndex: number) => {
		const form = formReader(context, itemIndex, isTool);
		const { readField, readOption } = form;
		const operation = readField('operation', readChoice<RunRequest['operation']>);
		// AI agents leave out values.
		const evaluate = (expression: string): unknown => isTool || context.evaluateExpression(expression, itemIndex);
		const { query, threadId, notes } = readTaskAndThread(
			form,
			evaluate,
			inputs.length > 1 ? ` for input item ${itemIndex}` : '',
		);
		const rows = operation === 'rows' ? readRowsRequest(form) : undefined;
		const included = rows && !isTool ? copyFields(rows.included, inputs[itemIndex]!) : {};
		const checksDone = operation === 'rows' || (operation === 'result' && readOption('checkDone', readSwitch));
		const instruction = rows ? rowsInstruction(rows) : checksDone ? resultInstruction : '';

		const item = inputs[itemIndex]!;
		const byPerson =
			(read: FieldReader<NamesInForm>): FieldReader<NamesInForm> =>
			(...given) =>
				isTool ? { label: quotedLabel(given[0]), names: [] } : read(...given);
		const data = readAgentData(item, readOption('agentData', byPerson(readNames)));
		const taskWith = (files = '') => [query, files, data, instruction].filter(Boolean).join('\n\n');
		return {
			itemIndex,
			operation,
			body: readStartBody(form, taskWith(), threadId, operation === 'background'),
			taskWith,
			agentFiles: readOption('agentFiles', byPerson(readFileNames)),
			...readOutputSettings(form, operation === 'rows'),
			notes,
			checksDone,
			rows,
			included,
		};
	};
}
