import { type IBinaryKeyData, type IDataObject, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { apiError } from '../../errors/node-error';
import { isUsedAsTool } from '../../errors/reader';
import { shorten } from '../../text/shorten';
import type { JsonRequest, RunRequest } from '../parameters/run-request';
import type { Chunk } from '../stream';
import type { FollowedRun } from '../transport/follow-run';
import { attachFiles } from './files';
import { simplify, warningsOf, type SimplifiedRun } from './simplified';
import { readOutput } from './structured';

/** Characters of text that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_TEXT = 20_000;

/** A run with what was collected of it while it went on. */
export interface CollectedRun extends FollowedRun {
	/** As received, up to the chunk limit; empty where they are not put out. */
	chunks: Chunk[];
	/** How many more there were. */
	chunksLeftOut: number;
}

/** What an AI agent needs of a run, whatever output is chosen: text or JSON of a bounded size, thread and status. */
function toolResult({ text, thread_id, status, output, warnings }: SimplifiedRun): IDataObject {
	const hasOutput = output !== undefined && output !== null && JSON.stringify(output).length <= MAX_TOOL_TEXT;
	const shown = shorten(text, MAX_TOOL_TEXT);
	const length = shown === text ? '' : ` (${text.length} characters in all)`;
	const reason = status === 'completed' ? {} : { reason: warnings[0] };
	return { ...(hasOutput ? { output } : { text: shown + length }), thread_id, status, ...reason } as IDataObject;
}

/** One item per element of a list, where that is asked for. */
function splitOutput(json: SimplifiedRun): IDataObject[] {
	if (!Array.isArray(json.output)) return [json as unknown as IDataObject];
	const { thread_id, status } = json;
	return json.output.map((output) => ({ thread_id, status, output }) as IDataObject);
}

const isRaw = (operation: RunRequest['operation']) =>
	operation === 'chunks' || operation === 'message' || operation === 'parts';

/** The operations that put a run out as it came: whole, or one item for each of its parts or chunks. */
function rawItems({ threadId, run, chunks }: CollectedRun, operation: 'chunks' | 'message' | 'parts'): IDataObject[] {
	const head = { thread_id: threadId ?? null, status: run.status };
	if (operation === 'message') {
		return [{ ...head, message: run.message as unknown as IDataObject, warnings: warningsOf(run) }];
	}
	const items: IDataObject[] =
		operation === 'parts'
			? run.message.parts.map((part) => ({ ...head, part }))
			: chunks.map((chunk) => ({ ...head, chunk }));
	// A run without any is one item all the same: its thread must not be lost.
	return items.length ? items : [head];
}

/** Adds the JSON that is read out of the text; throws, or warns, as the form says, where there is none. */
function addOutput(
	context: IExecuteFunctions,
	json: SimplifiedRun,
	{ itemIndex }: RunRequest,
	request: JsonRequest,
): SimplifiedRun {
	const result = readOutput(json.text, request);
	if ('output' in result) return { ...json, output: result.output };
	if (request.onInvalid === 'pass') return { ...json, output: null, warnings: [...json.warnings, result.fault] };
	const advice = 'Ask in the task for JSON only, or set If Text Is Not JSON to Pass On';
	throw apiError(context.getNode(), { reason: result.fault, advice, itemIndex, run: json });
}

/**
 * The items of one run that was followed to its end, in the form that was asked for; every one with its `pairedItem`.
 *
 * @throws NodeApiError if the text must be JSON and is not
 */
export async function runItems(
	context: IExecuteFunctions,
	collected: CollectedRun,
	request: RunRequest,
): Promise<INodeExecutionData[]> {
	const pairedItem = { item: request.itemIndex };
	const isTool = isUsedAsTool(context);
	if (!isTool && isRaw(request.operation)) {
		return rawItems(collected, request.operation).map((json) => ({ json, pairedItem }));
	}
	const simplified = simplify(collected.threadId, collected.run);
	const { json, binary } = await withFiles(context, simplified, collected, request);
	const complete = request.json ? addOutput(context, json, request, request.json) : json;
	if (isTool) return [{ json: toolResult(complete), pairedItem }];
	const items = request.json?.splitIntoItems ? splitOutput(complete) : [complete as unknown as IDataObject];
	return items.map((item, index) => ({ json: item, ...(binary && index === 0 ? { binary } : {}), pairedItem }));
}

async function withFiles(
	context: IExecuteFunctions,
	json: SimplifiedRun,
	{ run }: CollectedRun,
	request: RunRequest,
): Promise<{ json: SimplifiedRun; binary?: IBinaryKeyData }> {
	if (request.filesProperty === undefined) return { json };
	const parts = run.message.parts.filter(({ type }) => type === 'file');
	const { binary, taken } = await attachFiles(context, parts, request.filesProperty, request);
	const files = json.files.map((file, index) => {
		const result = taken[index];
		if (!('property' in result)) return file;
		// The bytes are in the binary field now: a data: URL would hold them a second time.
		const { url, ...rest } = file;
		return { ...rest, ...(/^data:/i.test(url as string) ? {} : { url }), binary: result.property };
	});
	const faults = taken.flatMap((result) => ('fault' in result ? [result.fault] : []));
	const result = { ...json, files, warnings: [...json.warnings, ...faults] };
	return { json: result, ...(Object.keys(binary).length ? { binary } : {}) };
}
