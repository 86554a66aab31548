// Copies the agent's files in n8n, and puts links to the copies into the task.

import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import { escapeHidden, filledText, shorten, visible } from '../../shared/values/text';
import { networkOf, parseUrl } from '../../shared/values/url';
import { type LinkHelpers, findFile, contentOf, readingFile } from '../../shared/form/input-files';
import { FILES } from './agent-data';

export interface AgentFile {
	/** JSON in one line, because a stranger may have chosen the name. */
	name: string;
	type: string;
	file: IBinaryData;
	/** Links lead here: n8n deletes a trigger's own file when the execution ends or waits. */
	copy?: IBinaryData;
}

const IN_MEMORY = ' cannot be used, because this n8n instance keeps files in memory';

const STORE_FILES = 'Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or database';

function described(file: IBinaryData, field: string): AgentFile {
	const type = file.mimeType.replace(/;[^]*/, '');
	return {
		name: escapeHidden(JSON.stringify(shorten(visible(filledText(file.fileName) ?? '') || field))),
		type: /^[\w.+-]{1,50}\/[\w.+-]{1,100}$/.test(type) ? type : 'unknown type',
		file,
	};
}

async function withCopy(helpers: LinkHelpers, agentFile: AgentFile): Promise<AgentFile> {
	const { copy, file, name } = agentFile;
	if (copy) return agentFile;
	const store = async () =>
		await helpers.prepareBinaryData(await contentOf(file, helpers), filledText(file.fileName), file.mimeType);
	return { ...agentFile, copy: await readingFile(FILES, name, store) };
}

/** Rejects files that the service could not open. */
export async function readAgentFiles(
	helpers: LinkHelpers,
	item: INodeExecutionData,
	names: string[],
	automationUrl: string,
): Promise<AgentFile[]> {
	if (names.length === 0) return [];
	const files = names.map((name) => described(findFile(item, FILES, name), name));
	rejectLocalLinks(helpers, automationUrl);
	const ready: AgentFile[] = [];
	for (const agentFile of files) {
		// Only a stored file has an ID and a link.
		const stored = agentFile.file.id ? agentFile : await withCopy(helpers, agentFile);
		if (!(stored.copy ?? stored.file).id) throw inputError(FILES + IN_MEMORY, STORE_FILES);
		ready.push(stored);
	}
	return ready;
}

function rejectLocalLinks(helpers: LinkHelpers, automationUrl: string): void {
	const link = helpers.createBinarySignedUrl({ id: 'none' } as IBinaryData, '1 second');
	const isLocal = parseUrl(link) === undefined || networkOf(link) === 'localhost';
	if (!isLocal || networkOf(automationUrl) === 'localhost') return;
	const root = link.replace(/\/[^/]*\/binary-data\/.*/, '');
	throw inputError(
		`The links for ${FILES} would point to localhost (${root}), which the service cannot reach`,
		'Set WEBHOOK_URL on n8n and each worker to a URL that the service can reach',
	);
}

export const fileFingerprint = ({ name, type, file: { bytes, fileSize, data, id } }: AgentFile) => [
	name,
	type,
	bytes ?? fileSize ?? (id ? null : data.length),
];

export async function copyFiles(helpers: LinkHelpers, files: AgentFile[]): Promise<AgentFile[]> {
	const copied: AgentFile[] = [];
	for (const agentFile of files) copied.push(await withCopy(helpers, agentFile));
	return copied;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Milliseconds that count as no limit. */
const ENDLESS = 1e12;

/** A run without a limit gets links for a day. */
export function listLinks(helpers: LinkHelpers, files: AgentFile[], milliseconds: number): string {
	const seconds = milliseconds < ENDLESS ? Math.max(1, Math.ceil(milliseconds / 1000)) : DAY_SECONDS;
	const until = new Date(Date.now() + seconds * 1000).toISOString();
	const lines = files.map(({ name, type, copy }) => {
		// A number would be read as milliseconds.
		const link = helpers.createBinarySignedUrl(copy!, `${seconds} seconds`);
		return `- ${name} (${type}, ${copy!.fileSize}): ${link}`;
	});
	return [
		`Files for this task. Download each from its link, without signing in, until ${until}. Do not repeat the links in your reply:`,
		...lines,
	].join('\n');
}
