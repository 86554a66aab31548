import type { IDataObject } from 'n8n-workflow';

import { toolNameOf, type Part, type Run, type RunStatus } from '../stream';

/** The text of the last step with text; the texts of one step are one text. */
function lastText(parts: Part[]): string {
	let text = '';
	let stepText = '';
	for (const part of parts) {
		if (part.type === 'step-start') stepText = '';
		else if (part.type === 'text') stepText += String(part.text);
		if (stepText !== '') text = stepText;
	}
	return text;
}

/** The named fields of a part, in snake case, without those that are absent. */
function fieldsOf(part: Part, fields: Record<string, string>): IDataObject {
	const result: Record<string, unknown> = {};
	for (const [name, key] of Object.entries(fields)) if (part[name] !== undefined) result[key] = part[name];
	return result as IDataObject;
}

const sourceFields = {
	type: 'type',
	sourceId: 'source_id',
	url: 'url',
	mediaType: 'media_type',
	title: 'title',
	filename: 'filename',
};
const fileFields = { mediaType: 'media_type', url: 'url', filename: 'filename' };
const toolFields = { toolCallId: 'tool_call_id', state: 'state', input: 'input', output: 'output', errorText: 'error' };

/** Why a run is not complete, then what of its stream could not be read. */
export const warningsOf = ({ reason, warnings }: Run): string[] =>
	reason === undefined ? warnings : [reason, ...warnings];

/** What most workflows need of a run; always the same fields, and `output` where the text was read as JSON. */
export type SimplifiedRun = {
	thread_id: string | null;
	status: RunStatus;
	text: string;
	data: IDataObject;
	sources: IDataObject[];
	files: IDataObject[];
	tools: IDataObject[];
	finish_reason: string | null;
	/** Why a run is not complete comes first. */
	warnings: string[];
	output?: unknown;
};

/** Makes of a run what most workflows need of it. */
export function simplify(threadId: string | undefined, run: Run): SimplifiedRun {
	const { status, message, data, finishReason } = run;
	const { parts } = message;
	return {
		thread_id: threadId ?? null,
		status,
		text: lastText(parts),
		data: data as IDataObject,
		sources: parts.filter(({ type }) => type.startsWith('source-')).map((part) => fieldsOf(part, sourceFields)),
		files: parts.filter(({ type }) => type === 'file').map((part) => fieldsOf(part, fileFields)),
		tools: parts
			.filter(({ type }) => type === 'dynamic-tool' || type.startsWith('tool-'))
			.map((part) => ({ name: toolNameOf(part), ...fieldsOf(part, toolFields) })),
		finish_reason: finishReason ?? null,
		warnings: warningsOf(run),
	};
}
