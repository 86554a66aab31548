import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from './failure';
import { escapeHidden, filledText, shorten, shortenList, visible } from './text';
import { isObject, valueAt } from './nested';
import { networkOf, parseUrl } from './url';

type LinkHelpers = IExecuteFunctions['helpers'];

/** Whether a value among the files of an item is one. A Code node may return a file without a type. */
const isBinary = (value: unknown): value is IBinaryData & Record<string, unknown> =>
	isObject(value) && [value.data ?? value.id, value.id ?? ''].every((field) => typeof field === 'string');

/** Whether any value of an item's JSON is a file. */
export const isFile = (value: unknown): value is IBinaryData & Record<string, unknown> =>
	isBinary(value) && typeof value.mimeType === 'string';

/**
 * Finds a file of an item by the name of its binary field, or by its path if the workflow keeps files in the JSON of its items.
 *
 * @param label the quoted label of the form's field
 * @throws FailureError that names the files that the item has
 */
export function findFile({ json, binary = {} }: INodeExecutionData, label: string, name: string): IBinaryData {
	const [inBinary, moved, inJson] = [binary, Object(json._files) as object, json].map((files) =>
		valueAt(files as typeof json, name),
	);
	const file = [inBinary, moved].find(isBinary) ?? (isFile(inJson) ? inJson : undefined);
	if (file) return { ...file, mimeType: filledText(file.mimeType) ?? 'application/octet-stream' };
	const namesIn = (files: unknown, test: typeof isBinary) =>
		isObject(files) ? Object.keys(files).filter((key) => test(files[key])) : [];
	const known = [...namesIn(binary, isBinary), ...namesIn(json._files, isBinary), ...namesIn(json, isFile)];
	throw inputError(
		`${label}: the item has no file ${JSON.stringify(shorten(name))}`,
		known.length
			? `Files of this item: ${shortenList(known, 20).join(', ')}`
			: 'This item has no files. Pass them through from earlier nodes',
	);
}

/** The content of a file of an item. */
export const contentOf = async ({ id, data }: IBinaryData, helpers: Pick<LinkHelpers, 'getBinaryStream'>) =>
	id ? await helpers.getBinaryStream(id) : Buffer.from(data, 'base64');

/** A file for the agent. */
export interface AgentFile {
	/** As JSON text in one line, because a stranger may have chosen the name. */
	name: string;
	type: string;
	file: IBinaryData;
	/** The copy that links point to: a trigger's own file is deleted when the execution ends or waits. */
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
	const { file, copy } = agentFile;
	if (copy) return agentFile;
	const content = await contentOf(file, helpers);
	return { ...agentFile, copy: await helpers.prepareBinaryData(content, filledText(file.fileName), file.mimeType) };
}

/**
 * Finds the files for the agent, and rejects files that an agent could not open.
 *
 * @param automationUrl URL of the service: links are checked against its network
 * @returns the files, and hints about their links
 * @throws FailureError that names the field
 */
export async function readAgentFiles(
	helpers: LinkHelpers,
	item: INodeExecutionData,
	{ label, names }: { label: string; names: string[] },
	automationUrl: string,
): Promise<{ files: AgentFile[]; hints: string[] }> {
	if (names.length === 0) return { files: [], hints: [] };
	const files = names.map((name) => described(findFile(item, label, name), name));
	const hints = checkLinkTarget(helpers, label, automationUrl);
	const ready: AgentFile[] = [];
	for (const agentFile of files) {
		// Only a stored file has an ID and a link. A Code node may return a file that is not stored.
		const stored = agentFile.file.id ? agentFile : await withCopy(helpers, agentFile);
		if (!(stored.copy ?? stored.file).id) throw inputError(label + IN_MEMORY, STORE_FILES);
		ready.push(stored);
	}
	return { files: ready, hints };
}

/** Rejects links that the service cannot open, and returns a hint about links that it may not be able to open. */
function checkLinkTarget(helpers: LinkHelpers, label: string, automationUrl: string): string[] {
	const link = helpers.createBinarySignedUrl({ id: 'none' } as IBinaryData, '1 second');
	const target = parseUrl(link) && networkOf(link);
	const service = networkOf(automationUrl);
	if (target === 'elsewhere' || service === 'localhost') return [];
	if (target === 'privateNetwork') {
		if (service === 'privateNetwork') return [];
		const { hostname } = new URL(link);
		return [`The links for ${label} point to a private network (${hostname}), which the service may not reach`];
	}
	const root = link.replace(/\/[^/]*\/binary-data\/.*/, '');
	throw inputError(
		`The links for ${label} would point to localhost (${root}), which the service cannot reach`,
		'Set WEBHOOK_URL on n8n and each worker to a URL that the service can reach',
	);
}

/** The values that identify a file, for the fingerprint of an item's request. */
export const fileFingerprint = ({ name, type, file: { bytes, fileSize, data, id } }: AgentFile) => [
	name,
	type,
	bytes ?? fileSize ?? (id ? null : data.length),
];

/** Copies files, each once. Throws FailureError if a file cannot be copied. */
export async function copyFiles(helpers: LinkHelpers, files: AgentFile[]): Promise<AgentFile[]> {
	const copied: AgentFile[] = [];
	for (const agentFile of files) {
		copied.push(
			await withCopy(helpers, agentFile).catch(({ message }: Error) => {
				const reason = `The file ${agentFile.name} cannot be copied: ${message}`;
				throw inputError(reason, 'Check the file, then execute this node again');
			}),
		);
	}
	return copied;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Milliseconds above which there is no limit, because a date cannot express every longer time. */
const ENDLESS = 1e12;

/** Lists files for the agent, each with a link that works for some time without signing in; Infinity means a day. */
export function listLinks(helpers: LinkHelpers, files: AgentFile[], milliseconds: number): string {
	const seconds = milliseconds < ENDLESS ? Math.max(1, Math.ceil(milliseconds / 1000)) : DAY_SECONDS;
	const until = new Date(Date.now() + seconds * 1000).toISOString();
	const lines = files.map(({ name, type, copy }) => {
		// A number without a unit would be milliseconds.
		const link = helpers.createBinarySignedUrl(copy!, `${seconds} seconds`);
		return `- ${name} (${type}, ${copy!.fileSize}): ${link}`;
	});
	return [
		`Files for this task. Download each from its link, without signing in, until ${until}. Do not repeat the links in your reply:`,
		...lines,
	].join('\n');
}
