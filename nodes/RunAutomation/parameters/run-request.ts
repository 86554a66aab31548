import type { IExecuteFunctions, INodeParameters, INodeProperties } from 'n8n-workflow';

import { refused } from '../../errors/failure';
import {
	fieldOf,
	quoted,
	readChoice,
	readChoices,
	readNumber,
	readRequiredText,
	readSwitch,
	readText,
	readThreadId,
} from '../../form/fields';
import { readBodyFields } from '../../starts/form';
import { rowsInstruction } from '../rows/instruction';
import { fields } from './fields';
import { options as optionFields } from './options';
import { readRowsRequest, type RowsRequest } from './rows-request';

/** The body of a start. */
export interface StartBody {
	query: string;
	thread_id?: string;
	detach?: true;
	[field: string]: unknown;
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
	/** Whether files become binary data. */
	includeFiles: boolean;
	/** Prefix of the names of binary fields. */
	filesProperty: string;
	/** Whether to download linked files, too. */
	downloadLinks: boolean;
	/** Whether the result has a few fields only. */
	simplify: boolean;
	/** Present for the operation `rows` only. */
	rows: RowsRequest | undefined;
}

/** What the form says for one item. */
export interface FormReader {
	/** A field and its value; of a field that the form does not show, the default. */
	given(name: string): [INodeProperties, unknown];
	/** An option and its value, undefined if it is not set, and its value as the workflow has it. */
	option(name: string): [INodeProperties, unknown, unknown];
	/** The value of a field as the workflow has it: an expression is not evaluated. */
	stored(name: string): unknown;
}

const storedIn = (parameters: unknown, name: string): unknown => (Object(parameters) as Record<string, unknown>)[name];

function formOf(context: IExecuteFunctions, itemIndex: number, parameters: INodeParameters): FormReader {
	const options = context.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>;
	return {
		given: (name) => {
			const field = fieldOf(fields, name);
			return [field, context.getNodeParameter(name, itemIndex, field.default as never) as unknown];
		},
		option: (name) => [fieldOf(optionFields, name), options[name], storedIn(parameters.options, name)],
		stored: (name) => storedIn(parameters, name),
	};
}

/**
 * Reads the settings that apply to all items, as the first item has them.
 *
 * @returns the maximum number of runs at the same time
 * @throws Failed that names the field, or if there are more items than *Limit: Input Items* allows
 */
export function readNodeSettings(context: IExecuteFunctions): { parallelRuns: number } {
	const { option } = formOf(context, 0, {});
	const [limitField, maxRuns] = option('maxRuns');
	const isLimited = maxRuns !== null && maxRuns !== '' && maxRuns !== undefined;
	const limit = isLimited ? Math.floor(readNumber(limitField, maxRuns)) : Infinity;
	const { length } = context.getInputData();
	if (length > limit) {
		const { displayName } = limitField;
		throw refused(
			`${length} input items exceed the limit of ${limit}`,
			`No run was started. Raise ${quoted(displayName)} in the options, or send fewer items to this node`,
		);
	}
	const [parallelField, parallelRuns] = option('parallelRuns');
	return { parallelRuns: Math.floor(readNumber(parallelField, parallelRuns)) };
}

/**
 * Makes the function that reads the form for one item, and refuses what the service would refuse. It throws Failed that
 * names the field.
 */
export function readRunRequest(context: IExecuteFunctions): (itemIndex: number) => RunRequest {
	// Once for all items: n8n copies the whole node each time.
	const { parameters } = context.getNode();
	return (itemIndex) => {
		const form = formOf(context, itemIndex, parameters);
		const { given, option, stored } = form;
		const operation = readChoice<RunRequest['operation']>(...given('operation'));
		const query = readRequiredText(...given('query'), stored('query'));
		const threadId = readThreadId(...given('threadId'), stored('threadId'));
		const rows = operation === 'rows' ? readRowsRequest(form) : undefined;

		const body: StartBody = {
			...readBodyFields(...option('additionalBodyFields')),
			query: rows ? `${query}\n\n${rowsInstruction(rows)}` : query,
		};
		if (threadId !== '') body.thread_id = threadId;
		if (operation === 'background') body.detach = true;
		for (const name of ['model', 'reasoningEffort', 'version']) {
			const value = readText(...option(name));
			if (value !== '') body[name] = value;
		}
		const number = (name: string) => {
			const [field, value] = option(name);
			return readNumber(field, value);
		};
		const flag = (name: string) => {
			const [field, value] = option(name);
			return readSwitch(field, value);
		};
		const choice = <Choice extends string>(name: string) => {
			const [field, value] = option(name);
			return readChoice<Choice>(field, value);
		};
		const [liveField, live] = option('live');
		return {
			itemIndex,
			body,
			limits: { idle: number('idleTimeout') * 1000 || Infinity, total: number('totalTimeout') * 1000 || Infinity },
			maxBytes: number('maxResponseSize') * 1e6,
			operation,
			rawOutput: readChoice<RunRequest['rawOutput']>(...given('output')),
			chunkLimit: Math.floor(number('chunkLimit')),
			onIncomplete: choice('ifIncomplete'),
			restartFailed: flag('restartFailed'),
			live: readChoices<LiveKind>(liveField, live),
			includeFiles: flag('includeFiles'),
			filesProperty: readText(...option('filesProperty')) || String(fieldOf(optionFields, 'filesProperty').default),
			downloadLinks: flag('downloadLinks'),
			simplify: readSwitch(...given('simplify')),
			rows,
		};
	};
}
