import {
	NodeOperationError,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { isUsedAsTool } from '../../shared/tool-use';
import type { RunRequest } from '../parameters/run-request';
import type { Chunk } from '../stream';
import type { FollowedRun } from '../transport/follow-run';
import { attachDetails } from '../transport/run-details';
import { takeFiles } from './files';
import { simplify, type SimplifiedRun } from './simplified';
import { readOutput } from './structured';

/** Characters of text that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_TEXT = 20_000;

/** A run with what was collected of it while it went on. */
export interface CollectedRun extends FollowedRun {
	/** As received, up to the chunk limit; empty where they are not put out. */
	chunks: Chunk[];
}

/** The text, the thread and the status: what an AI agent needs of a run. */
function leanAnswer({ text, thread_id, status, output, warnings }: SimplifiedRun): IDataObject {
	const shown =
		text.length > MAX_TOOL_TEXT ? `${text.slice(0, MAX_TOOL_TEXT)}… (${text.length} characters in all)` : text;
	const reason = status === 'completed' ? {} : { reason: warnings[0] };
	return { ...(output === undefined ? { text: shown } : { output }), thread_id, status, ...reason } as IDataObject;
}

/** One item per element of a list, where that is asked for. */
function splitOutput(json: SimplifiedRun): IDataObject[] {
	if (!Array.isArray(json.output)) return [json as unknown as IDataObject];
	const { thread_id, status } = json;
	return json.output.map((output) => ({ thread_id, status, output }) as IDataObject);
}

/**
 * The items of one run that was followed to its end, in the form that was asked for; every one with its `pairedItem`.
 *
 * @throws NodeOperationError where the text is to be JSON and is not
 */
export async function runItems(
	context: IExecuteFunctions,
	collected: CollectedRun,
	request: RunRequest,
): Promise<INodeExecutionData[]> {
	const { itemIndex, output } = request;
	const { threadId, run, chunks } = collected;
	const toItem = (json: IDataObject, binary?: IBinaryKeyData): INodeExecutionData => ({
		json,
		...(binary && Object.keys(binary).length ? { binary } : {}),
		pairedItem: { item: itemIndex },
	});
	const head = { thread_id: threadId ?? null, status: run.status };

	if (output === 'message') return [toItem({ ...head, message: run.message as unknown as IDataObject })];
	if (output === 'parts' || output === 'chunks') {
		const [name, elements] = output === 'parts' ? (['part', run.message.parts] as const) : (['chunk', chunks] as const);
		// A run without any is one item all the same: its thread must not be lost.
		return elements.length ? elements.map((element) => toItem({ ...head, [name]: element })) : [toItem(head)];
	}

	const { json, binary } = await withFiles(context, simplify(threadId, run), collected, request);
	if (request.json) {
		const result = readOutput(json.text, request.json);
		if ('output' in result) {
			json.output = result.output;
		} else if (request.json.onInvalid === 'pass') {
			json.output = null;
			json.warnings = [...json.warnings, result.fault];
		} else {
			const description = `${result.fault}. Ask in the task for JSON only, or set If Text Is Not JSON to Pass On`;
			const error = new NodeOperationError(context.getNode(), result.fault, { itemIndex, description });
			throw attachDetails(error, json);
		}
	}
	if (isUsedAsTool(context)) return [toItem(leanAnswer(json))];
	const items = request.json?.splitIntoItems ? splitOutput(json) : [json as unknown as IDataObject];
	return items.map((item, index) => toItem(item, index === 0 ? binary : undefined));
}

async function withFiles(
	context: IExecuteFunctions,
	json: SimplifiedRun,
	{ run }: CollectedRun,
	{ filesProperty, maxBytes }: RunRequest,
): Promise<{ json: SimplifiedRun; binary?: IBinaryKeyData }> {
	if (filesProperty === undefined) return { json };
	const parts = run.message.parts.filter(({ type }) => type === 'file');
	const { binary, taken } = await takeFiles(context, parts, filesProperty, maxBytes);
	const files = json.files.map((file, index) => {
		const result = taken[index];
		if (!('property' in result)) return file;
		// The bytes are in the binary field now: a data: URL would hold them a second time.
		const { url, ...rest } = file;
		return { ...rest, ...(String(url).startsWith('data:') ? {} : { url }), binary: result.property };
	});
	const faults = taken.flatMap((result) => ('fault' in result ? [result.fault] : []));
	return { json: { ...json, files, warnings: [...json.warnings, ...faults] }, binary };
}
