import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isUsedAsTool } from '../../errors/reader';
import { shorten } from '../../values/shorten';
import type { RunRequest } from '../parameters/run-request';
import type { Chunk } from '../stream';
import type { FollowedRun } from '../transport/follow-run';
import { attachFiles } from './files';
import { headOf, resultOf, simplify, type RunResult } from './result';

/** Characters of text that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_TEXT = 20_000;

/** A run, and what was collected during it. */
export interface CollectedRun extends FollowedRun {
	/** As received, up to the chunk limit; empty unless they are returned. */
	chunks: Chunk[];
	/** How many more there were. */
	chunksLeftOut: number;
}

/** What an AI agent needs of a run, whatever operation is chosen: text of a bounded size, thread and status. */
function toolResult(result: RunResult): IDataObject {
	const { text, approvals } = result;
	const shown = shorten(text, MAX_TOOL_TEXT);
	const length = shown === text ? '' : ` (${text.length} characters in all)`;
	return { text: shown + length, ...headOf(result), ...(approvals.length ? { approvals } : {}) };
}

/** The run as received: whole, or one item for each of its parts or chunks. */
function rawItems({ threadId, run, chunks }: CollectedRun, output: RunRequest['rawOutput']): IDataObject[] {
	const head = headOf({ ...run, thread_id: threadId ?? null });
	if (output === 'message') {
		return [{ ...head, message: run.message as unknown as IDataObject, warnings: run.warnings }];
	}
	const items: IDataObject[] =
		output === 'parts'
			? run.message.parts.map((part) => ({ ...head, part }))
			: chunks.map((chunk) => ({ ...head, chunk }));
	// A run without any is one item all the same: its thread must not be lost.
	return items.length ? items : [head];
}

/**
 * The items of one run that was followed to its end, as the operations *Run and Get Result* and *Run and Get Raw
 * Output* return them; every one with its `pairedItem`.
 *
 * @param fileLimits milliseconds that remain for the download of linked files
 */
export async function runItems(
	context: IExecuteFunctions,
	collected: CollectedRun,
	request: RunRequest,
	fileLimits: RunRequest['limits'],
): Promise<INodeExecutionData[]> {
	const pairedItem = { item: request.itemIndex };
	const isTool = isUsedAsTool(context);
	if (!isTool && request.operation === 'raw') {
		return rawItems(collected, request.rawOutput).map((json) => ({ json, pairedItem }));
	}
	const result = resultOf(collected.threadId, collected.run);
	if (isTool) return [{ json: toolResult(result), pairedItem }];

	const { files, binary, warnings } = await attachFiles(context, result.files, request, fileLimits);
	const complete: RunResult = { ...result, files, warnings: [...result.warnings, ...warnings] };
	const json: IDataObject = request.simplify ? simplify(complete) : complete;
	return [{ json, ...withBinary(binary), pairedItem }];
}

/** Binary data as the field of an item; no field if there are none. */
export const withBinary = (binary: IBinaryKeyData): { binary?: IBinaryKeyData } =>
	Object.keys(binary).length ? { binary } : {};
