import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { apiError } from '../../errors/node-error';
import { isUsedAsTool } from '../../errors/reader';
import { shorten } from '../../text/shorten';
import type { JsonRequest, RunRequest } from '../parameters/run-request';
import type { Chunk, Run } from '../stream';
import type { FollowedRun } from '../transport/follow-run';
import { attachFiles } from './files';
import { resultOf, simplify, type RunResult } from './result';
import { readOutput, type Structure } from './structured';

/** Characters of text that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_TEXT = 20_000;

/** A run with what was collected of it while it was going on. */
export interface CollectedRun extends FollowedRun {
	/** As received, up to the chunk limit; empty unless they are returned. */
	chunks: Chunk[];
	/** How many more there were. */
	chunksLeftOut: number;
}

/** What an AI agent needs of a run, whatever operation is chosen: text or JSON of a bounded size, thread and status. */
function toolResult(result: RunResult, output: Structure | null | undefined): IDataObject {
	const { text, thread_id, status, reason, approvals } = result;
	const hasOutput = output !== undefined && output !== null && JSON.stringify(output).length <= MAX_TOOL_TEXT;
	const shown = shorten(text, MAX_TOOL_TEXT);
	const length = shown === text ? '' : ` (${text.length} characters in all)`;
	return {
		...(hasOutput ? { output } : { text: shown + length }),
		thread_id,
		status,
		...(reason === undefined ? {} : { reason }),
		...(approvals.length ? { approvals } : {}),
	} as IDataObject;
}

/** What every item of a run begins with. */
const headOf = (threadId: string | undefined, { status, reason }: Run): IDataObject => ({
	thread_id: threadId ?? null,
	status,
	...(reason === undefined ? {} : { reason }),
});

/** The run as received: whole, or one item for each of its parts or chunks. */
function rawItems(
	{ threadId, run, chunks }: CollectedRun,
	operation: Exclude<RunRequest['operation'], 'background' | 'result'>,
): IDataObject[] {
	const head = headOf(threadId, run);
	if (operation === 'message') {
		return [{ ...head, message: run.message as unknown as IDataObject, warnings: run.warnings }];
	}
	const items: IDataObject[] =
		operation === 'parts'
			? run.message.parts.map((part) => ({ ...head, part }))
			: chunks.map((chunk) => ({ ...head, chunk }));
	// A run without any is one item all the same: its thread must not be lost.
	return items.length ? items : [head];
}

/** The JSON in the text of a run; if there is none, null with a warning or an error, as the form says. */
function readStructure(
	context: IExecuteFunctions,
	result: RunResult,
	{ itemIndex }: RunRequest,
	request: JsonRequest,
): { output: Structure | null; warnings: string[] } {
	const found = readOutput(result.text, request);
	if ('output' in found) return { output: found.output, warnings: [] };
	if (request.onInvalid === 'pass') return { output: null, warnings: [found.fault] };
	const advice = 'Ask in the task for JSON only, or set If Text Is Not JSON to Pass On';
	throw apiError(context.getNode(), { reason: found.fault, advice, itemIndex, run: result });
}

/** One item for each element of a list, if that is asked for. */
function splitOutput(json: IDataObject, output: Structure): IDataObject[] {
	if (!Array.isArray(output)) return [{ ...json, output: output as IDataObject }];
	const { thread_id, status, reason } = json;
	const head = { thread_id, status, ...(reason === undefined ? {} : { reason }) };
	return output.map((element) => ({ ...head, output: element as IDataObject }));
}

/**
 * The items of one run that was followed to its end, as the operation asks for; every one with its `pairedItem`.
 *
 * @param fileLimits milliseconds that remain for the download of linked files
 * @throws NodeApiError if the text must be JSON and is not
 */
export async function runItems(
	context: IExecuteFunctions,
	collected: CollectedRun,
	request: RunRequest,
	fileLimits: RunRequest['limits'],
): Promise<INodeExecutionData[]> {
	const { operation, json: jsonRequest } = request;
	const pairedItem = { item: request.itemIndex };
	const isTool = isUsedAsTool(context);
	if (!isTool && operation !== 'result' && operation !== 'background') {
		return rawItems(collected, operation).map((json) => ({ json, pairedItem }));
	}
	const result = resultOf(collected.threadId, collected.run);
	const structure = jsonRequest && readStructure(context, result, request, jsonRequest);
	if (isTool) return [{ json: toolResult(result, structure?.output), pairedItem }];

	const { files, binary, warnings } = await attachFiles(context, result.files, request, fileLimits);
	const allWarnings = [...result.warnings, ...warnings, ...(structure?.warnings ?? [])];
	const complete: RunResult = { ...result, files, warnings: allWarnings };
	const json: IDataObject = request.simplify ? simplify(complete) : complete;
	const items =
		structure?.output && jsonRequest?.splitIntoItems
			? splitOutput(json, structure.output)
			: [structure ? { ...json, output: structure.output as IDataObject } : json];
	return items.map((item, index) => ({ json: item, ...(index === 0 ? withBinary(binary) : {}), pairedItem }));
}

/** Binary data as the field of an item; no field if there are none. */
export const withBinary = (binary: IBinaryKeyData): { binary?: IBinaryKeyData } =>
	Object.keys(binary).length ? { binary } : {};
