import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isUsedAsTool } from '../../execution/execution-context';
import type { RunRequest } from '../parameters/run-request';
import type { ReadRun } from '../transport/read-stream';
import { attachFiles } from './files';
import { resultOf, shownOf } from './result';

function rawItems({ threadId, run, chunks }: ReadRun, output: RunRequest['rawOutput']): IDataObject[] {
	const { status, reason, message, warnings, notes } = run;
	const found: Record<typeof output, object[]> = {
		message: [{ message, warnings: [...warnings, ...notes] }],
		parts: message.parts.map((part) => ({ part })),
		chunks: chunks.map((chunk) => ({ chunk })),
	};
	const head = shownOf({ thread_id: threadId ?? null, status, reason }, 'details');
	// A run without any is one item, too: its thread must not be lost.
	return (found[output].length ? found[output] : [{}]).map((fields) => ({ ...head, ...fields }));
}

/**
 * The items of one run that was read to its end, as the operations *Run and Get Result* and *Run and Get Raw Output*
 * return them; every one with its `pairedItem`.
 *
 * @param deadline when the download of linked files has to end, in milliseconds since 1970
 * @returns the items, and why files of the run are not in them
 */
export async function runItems(
	context: IExecuteFunctions,
	collected: ReadRun,
	request: RunRequest,
	deadline: number,
): Promise<{ items: INodeExecutionData[]; warnings: string[] }> {
	const pairedItem = { item: request.itemIndex };
	const isTool = isUsedAsTool(context);
	if (!isTool && request.operation === 'raw') {
		const items = rawItems(collected, request.rawOutput).map((json) => ({ json, pairedItem }));
		return { items, warnings: [] };
	}
	const result = resultOf(collected.threadId, collected.run);
	const filesFor = { ...request, includeFiles: request.includeFiles && !isTool };
	const { files, binary, warnings } = await attachFiles(context, result.files, filesFor, deadline);
	const complete = { ...result, files, warnings: [...result.warnings, ...warnings] };
	const brief = { ...complete, warnings: [...collected.run.warnings, ...warnings] };
	const simple = isTool ? 'tool' : request.simplify && 'simple';
	const json = simple ? shownOf(brief, simple) : complete;
	return { items: [{ json, ...withBinary(binary), pairedItem }], warnings };
}

/** Binary data as the field of an item; no field if there are none. */
export const withBinary = (binary: IBinaryKeyData): { binary?: IBinaryKeyData } =>
	Object.keys(binary).length ? { binary } : {};
