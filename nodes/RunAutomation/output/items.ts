// Makes output items from a run's result, rows, or raw output.

import type { ICredentialDataDecryptedObject, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { urlsIn } from '../../shared/http/credential';
import { withBinary } from '../../shared/items/outcome';
import type { NodeInExecution } from '../../shared/n8n/execution';
import type { RunRequest } from '../form/run-request';
import type { RowsInReply } from '../reply/read-rows';
import type { ReceivedRun } from '../run/read-stream';
import { attachFiles } from './files';
import { entriesWithin, forAgent, runDetails, simplified } from './shapes';
import { withProblems, type RunResult } from '../result/result';

interface EndedItem {
	readonly batch: NodeInExecution;
	readonly request: RunRequest;
	readonly destination: { readonly credentials: ICredentialDataDecryptedObject };
	readonly deadline: number;
}

function rawItems({ threadId, run, chunks }: ReceivedRun, output: RunRequest['rawOutput']): IDataObject[] {
	const { status, reason, message, warnings, notes } = run;
	const head = { status, thread_id: threadId ?? null, ...(reason !== undefined && { reason }) };
	if (output === 'message') return [{ ...head, message, warnings: [...warnings, ...notes] } as unknown as IDataObject];
	// An empty run still has a thread.
	return (chunks.length ? chunks.map((chunk) => ({ chunk })) : [{}]).map(
		(fields) => ({ ...head, ...fields }) as IDataObject,
	);
}

/** @param result of all runs in the thread */
export async function resultItems(
	{ batch, request, destination, deadline }: EndedItem,
	latest: ReceivedRun,
	result: RunResult,
): Promise<{ items: INodeExecutionData[]; warnings: string[] }> {
	const { isTool } = batch.execution;
	if (!isTool && request.operation === 'raw') {
		const items = rawItems(latest, request.rawOutput).map((json) => ({ json }));
		return { items, warnings: [] };
	}
	const credentialUrls = urlsIn(destination.credentials);
	const filesFor = { ...request, credentialUrls, includeFiles: request.includeFiles && !isTool };
	const { result: complete, binary, warnings } = await attachFiles(batch, result, filesFor, deadline);
	const brief = { ...complete, warnings: [...latest.run.warnings, ...warnings] };
	const shown = request.simplify ? simplified(brief) : { ...complete };
	const json = isTool ? forAgent(brief) : shown;
	return { items: [{ json, ...withBinary(binary) }], warnings };
}

const MAX_TOOL_ROWS_CHARACTERS = 20_000;

/** Warnings of missing rows come first, those of invalid rows last. */
function toolResult(
	{ rows, problems, leftOut }: RowsInReply,
	result: RunResult,
	latestWarnings: string[],
): IDataObject {
	const shown = entriesWithin(rows, MAX_TOOL_ROWS_CHARACTERS);
	const left = rows.length - shown.length;
	const tooMany = left ? `Rows left out of this response: ${left}` : undefined;
	const aboutRows = [tooMany, leftOut].filter((warning) => warning !== undefined);
	const about = { ...result, warnings: [...aboutRows, ...latestWarnings, ...problems] };
	return forAgent(about, { rows: shown as IDataObject[] });
}

/** The first row gets the files. An AI agent gets all rows in one item. */
export async function rowItems(
	{ batch, request, destination, deadline }: EndedItem,
	read: RowsInReply,
	result: RunResult,
	latestWarnings: string[],
): Promise<{ items: INodeExecutionData[]; warnings: string[] }> {
	if (batch.execution.isTool) return { items: [{ json: toolResult(read, result, latestWarnings) }], warnings: [] };
	const items: INodeExecutionData[] = read.rows.map((row) => ({ json: row as IDataObject }));
	const [first] = items;
	if (!first || !request.rows?.includeRunDetails) return { items, warnings: [] };
	const credentialUrls = urlsIn(destination.credentials);
	const {
		result: complete,
		binary,
		warnings,
	} = await attachFiles(batch, result, { ...request, credentialUrls }, deadline);
	const run = runDetails(withProblems(complete, read.problems));
	// n8n could not save thousands of copies (n8n#21746).
	for (const { json } of items) json.run = { thread_id: result.thread_id, status: result.status };
	first.json.run = run;
	Object.assign(first, withBinary(binary));
	return { items, warnings };
}
