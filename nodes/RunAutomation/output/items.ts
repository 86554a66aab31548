import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isUsedAsTool } from '../../execution/execution-context';
import { withoutFileContents } from '../../errors/file-contents';
import { shorten, shortenList } from '../../values';
import type { RunRequest } from '../parameters/run-request';
import type { ReadRun } from '../transport/read-stream';
import { attachFiles } from './files';
import { briefly, headOf, resultOf, simplify, type RunResult } from './result';

/** Characters of text that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_TEXT = 20_000;

const MAX_TOOL_LIST = 20;

const MAX_TOOL_WARNINGS = 5;

/** Characters of the input of a call that waits for an approval, and of the reason to ask. */
const MAX_TOOL_INPUT = 500;

/**
 * The sources and files of a run for an AI agent, which gets no binary data: of a bounded size, with the links of files but
 * not their contents.
 */
export function shownToTool({ sources, files }: RunResult): IDataObject {
	const shownSources = sources.slice(0, MAX_TOOL_LIST).map(briefly);
	const shownFiles = files.slice(0, MAX_TOOL_LIST).map((file) => withoutFileContents(file));
	return { ...(shownSources.length && { sources: shownSources }), ...(shownFiles.length && { files: shownFiles }) };
}

function approvalForTool({ input, reason, ...approval }: IDataObject): IDataObject {
	const text = JSON.stringify(input ?? null);
	const shown = text.length > MAX_TOOL_INPUT ? shorten(text, MAX_TOOL_INPUT) : input;
	return { ...approval, input: shown, reason: typeof reason === 'string' ? shorten(reason, MAX_TOOL_INPUT) : reason };
}

/** What an AI agent needs of a run, whatever operation is chosen: text of a bounded size, thread and status. */
function toolResult(result: RunResult, missing: string[]): IDataObject {
	const { text, approvals } = result;
	const shown = shorten(text, MAX_TOOL_TEXT);
	const length = shown === text ? '' : ` (${text.length} characters in all)`;
	const warnings = shortenList(missing, MAX_TOOL_WARNINGS);
	const asked = approvals.slice(0, MAX_TOOL_LIST).map(approvalForTool);
	const known = { ...(warnings.length && { warnings }), ...(asked.length && { approvals: asked }) };
	return { text: shown + length, ...headOf(result), ...known, ...shownToTool(result) };
}

function rawItems({ threadId, run, chunks }: ReadRun, output: RunRequest['rawOutput']): IDataObject[] {
	const head = headOf({ ...run, thread_id: threadId ?? null });
	if (output === 'message') {
		return [{ ...head, message: run.message as unknown as IDataObject, warnings: [...run.warnings, ...run.notes] }];
	}
	const items: IDataObject[] =
		output === 'parts'
			? run.message.parts.map((part) => ({ ...head, part }))
			: chunks.map((chunk) => ({ ...head, chunk }));
	// A run without any is one item, too: its thread must not be lost.
	return items.length ? items : [head];
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
	if (isTool) {
		const { files } = await attachFiles(context, result.files, { ...request, includeFiles: false }, deadline);
		return { items: [{ json: toolResult({ ...result, files }, collected.run.warnings), pairedItem }], warnings: [] };
	}
	const { files, binary, warnings } = await attachFiles(context, result.files, request, deadline);
	const complete: RunResult = { ...result, files, warnings: [...result.warnings, ...warnings] };
	const missing = [...collected.run.warnings, ...warnings];
	const json: IDataObject = request.simplify ? simplify(complete, missing) : complete;
	return { items: [{ json, ...withBinary(binary), pairedItem }], warnings };
}

/** Binary data as the field of an item; no field if there are none. */
export const withBinary = (binary: IBinaryKeyData): { binary?: IBinaryKeyData } =>
	Object.keys(binary).length ? { binary } : {};
