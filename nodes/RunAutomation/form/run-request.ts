// Reads and checks one item's form, credential and files completely, before anything is sent.

import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { modelFields } from '../../shared/form/fields';
import {
	readChoice,
	readChoices,
	readEntries,
	readNumber,
	readRequiredText,
	readSwitch,
	readText,
} from '../../shared/form/read';
import { readBodyFields, readThreadId } from '../../shared/form/read-start';
import { API_KEY, readCredentials, secretsIn, urlIn } from '../../shared/http/credential';
import { Secrets } from '../../shared/mask/secrets';
import type { Execution, NodeInExecution } from '../../shared/n8n/execution';
import { fieldName } from '../../shared/values/nested';
import { FormReader } from './reader';
import { readRowsRequest, type InputFields, type RowsRequest } from './rows-request';
import { readAgentData } from './agent-data';
import { readAgentFiles, type AgentFile } from './agent-files';
import { resultInstruction, rowsInstruction, type TaskParts } from './prompt';

export interface StartFields {
	thread_id?: string;
	detach?: true;
	[field: string]: unknown;
}

export interface RunRequest {
	itemIndex: number;
	operation: 'background' | 'raw' | 'result' | 'rows';
	automationUrl: string;
	/** Resolved by n8n for this item. */
	credentials: ICredentialDataDecryptedObject;
	secrets: Secrets;
	/** The start's body, except the task, which is written when the links to files are made. */
	body: StartFields;
	task: TaskParts;
	files: AgentFile[];
	/** Milliseconds; Infinity means no limit. */
	limits: { idle: number; total: number };
	/** True if the raw output has the chunks instead of the message. */
	keepsChunks: boolean;
	/** Bytes of the decompressed stream, and of all downloaded files together. */
	maxBytes: number;
	returnsPartial: boolean;
	liveKinds: Array<'data' | 'text' | 'tools'>;
	downloadLinks: boolean;
	simplify: boolean;
	/** True if the agent is asked to report what stopped it. */
	checksDone: boolean;
	rows: RowsRequest | undefined;
}

/** One item with its request, from its start to its output. */
export interface RequestedItem extends NodeInExecution {
	readonly request: RunRequest;
}

/** n8n keeps the whole output in memory. */
const MAX_BYTES = 64e6;

export interface NodeSettings {
	parallelRuns: number;
	/** Milliseconds. */
	waitIfBusy: number;
}

/** The first item has these for the whole node. Other options are read for each item, and may fail for that item alone. */
export function readNodeSettings(context: IExecuteFunctions, { isTool }: Execution): NodeSettings {
	const form = new FormReader({ context, itemIndex: 0, isTool });
	return {
		parallelRuns: form.read('parallelRuns', readNumber),
		waitIfBusy: form.read('waitIfBusy', readNumber) * 1000,
	};
}

/** @throws FailureError, or n8n's error of an expression */
export async function readRunRequest(
	context: IExecuteFunctions,
	{ isTool }: Execution,
	inputFields: InputFields,
	itemIndex: number,
): Promise<RunRequest> {
	const { inputs } = inputFields;
	const input = inputs[itemIndex]!;
	const form = new FormReader({ context, itemIndex, isTool });
	const operation = form.read('operation', readChoice<RunRequest['operation']>);

	const query = form.read('query', readRequiredText);
	const threadId = form.read('threadId', readThreadId);
	const rows = operation === 'rows' ? readRowsRequest(form, inputFields, itemIndex, isTool) : undefined;
	const checksDone = operation === 'rows' || (operation === 'result' && form.read('checkDone', readSwitch));
	const instruction = rows ? rowsInstruction(rows) : checksDone ? resultInstruction : '';
	// A tool's form has neither of these options.
	const data = isTool ? '' : readAgentData(input, form.read('agentData', readEntries).map(fieldName));
	const task = { query, data, instruction };
	const body: StartFields = form.read('additionalBodyFields', readBodyFields);
	if (threadId !== '') body.thread_id = threadId;
	if (operation === 'background') body.detach = true;
	for (const { name } of modelFields) {
		const value = form.read(name, readText);
		if (value !== '') body[name] = value;
	}
	const fileNames = isTool ? [] : form.read('agentFiles', readEntries).map(fieldName);

	const milliseconds = (name: string) => form.read(name, readNumber) * 1000 || Infinity;
	const output = {
		limits: { idle: milliseconds('idleTimeout'), total: milliseconds('totalTimeout') },
		maxBytes: MAX_BYTES,
		keepsChunks: form.read('output', readChoice<'chunks' | 'message'>) === 'chunks' && operation === 'raw',
		// Rows have no status, so an incomplete run's rows would look complete.
		returnsPartial: !rows && form.read('ifIncomplete', readChoice<'error' | 'partial'>) === 'partial',
		liveKinds: form.read('live', readChoices<'data' | 'text' | 'tools'>),
		downloadLinks: form.read('downloadLinks', readSwitch),
		simplify: form.read('simplify', readSwitch),
	};

	const credentials = await readCredentials(context, API_KEY, itemIndex, 'automationUrl');
	const automationUrl = urlIn(credentials, 'automationUrl');
	const files = await readAgentFiles(context.helpers, input, fileNames, automationUrl);
	const secrets = new Secrets(secretsIn(credentials));
	const asked = { itemIndex, operation, body, task, files, checksDone, rows };
	return { ...asked, ...output, automationUrl, credentials, secrets };
}
