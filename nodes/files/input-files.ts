import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { networkOf } from '../addresses/service-url';
import { inputError } from '../errors/failure';
import { filledText, isObject, parseUrl, shorten, shortenList, valueAt, visible } from '../values';

type LinkHelpers = IExecuteFunctions['helpers'];

/** The JSON of an item, and a Code node, may have anything that looks like a file. */
export const isFile = (value: unknown): value is IBinaryData & Record<string, unknown> =>
	isObject(value) &&
	[value.mimeType, value.data ?? value.id, value.id ?? ''].every((field) => typeof field === 'string');

/**
 * Finds a file of an item by the name of its binary field, or by its path if the workflow keeps files in the JSON of its items.
 *
 * @param label the name of the form's field that names it, quoted
 * @throws FailureError that names the files that the item has
 */
export function findFile({ json, binary = {} }: INodeExecutionData, label: string, name: string): IBinaryData {
	const places = [binary[name], valueAt(json, `_files.${name}`), valueAt(json, name)];
	const file = places.find(isFile);
	if (file) return file;
	const known = [binary, json._files, json].flatMap((files) =>
		isObject(files) ? Object.keys(files).filter((key) => isFile(files[key])) : [],
	);
	throw inputError(
		`${label}: the item has no file ${JSON.stringify(shorten(name))}`,
		known.length
			? `Nothing was sent to the service. Files of this item: ${shortenList(known, 20).join(', ')}`
			: 'Nothing was sent to the service. This item has no files: map them through the nodes before this one',
	);
}

/** The content of a file of an item. */
export const contentOf = async ({ id, data }: IBinaryData, helpers: Pick<LinkHelpers, 'getBinaryStream'>) =>
	id ? await helpers.getBinaryStream(id) : Buffer.from(data, 'base64');

/** A file for the agent. */
export interface AgentFile {
	/** What a stranger may have written, as JSON text in one line. */
	name: string;
	type: string;
	file: IBinaryData;
	/** The copy that links lead to: a trigger's own file is gone when the execution ends or waits. */
	copy?: IBinaryData;
}

const IN_MEMORY = ' cannot be used, because this n8n keeps files in memory';
const STORE_FILES =
	'Nothing was sent to the service. Set N8N_DEFAULT_BINARY_DATA_MODE of n8n to filesystem, or to database';

function described(file: IBinaryData, field: string): AgentFile {
	const [type] = file.mimeType.split(';');
	return {
		name: JSON.stringify(shorten(visible(filledText(file.fileName) ?? '') || field)),
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
 * Finds the files for the agent, and refuses those that an agent could not open.
 *
 * @param automationUrl where the agent is
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
	for (const one of files) {
		// Only a file that is stored has an ID, and a link. One of a Code node may not be.
		const found = one.file.id ? one : await withCopy(helpers, one);
		if (!(found.copy ?? found.file).id) throw inputError(label + IN_MEMORY, STORE_FILES);
		ready.push(found);
	}
	return { files: ready, hints };
}

/** Refuses links that the agent surely cannot open, and returns a hint for those that it may not be able to. */
function checkLinkTarget(helpers: LinkHelpers, label: string, automationUrl: string): string[] {
	const link = helpers.createBinarySignedUrl({ id: 'none' } as IBinaryData, '1 second');
	const place = parseUrl(link) && networkOf(link);
	if (place === 'elsewhere' || networkOf(automationUrl) !== 'elsewhere') return [];
	if (place === 'privateNetwork') {
		const { hostname } = new URL(link);
		return [`The links of ${label} lead to a private network (${hostname}): the service may not reach it`];
	}
	const root = link.replace(/\/[^/]*\/binary-data\/.*/, '');
	throw inputError(
		`The links of ${label} would lead to this machine (${root}), where the service cannot open them`,
		'Nothing was sent to the service. Set WEBHOOK_URL of n8n, and of each of its workers, to the address at which others reach it',
	);
}

/** What tells a file from others, for the question that an item asks. */
export const fileFingerprint = ({ name, type, file: { bytes, fileSize, data, id } }: AgentFile) => [
	name,
	type,
	bytes ?? fileSize ?? (id ? null : data.length),
];

/** Copies files, each once. Throws FailureError if one cannot be copied. */
export async function copyFiles(helpers: LinkHelpers, files: AgentFile[]): Promise<AgentFile[]> {
	const copied: AgentFile[] = [];
	for (const one of files) {
		copied.push(
			await withCopy(helpers, one).catch(({ message }: Error) => {
				throw inputError(
					`The file ${one.name} cannot be copied: ${message}`,
					'Check the file, and execute again',
					'none',
				);
			}),
		);
	}
	return copied;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Milliseconds from which on a time is no limit: a date cannot tell every later one. */
const ENDLESS = 1e12;

/**
 * Lists files for the agent, each with a link that it can open without signing in.
 *
 * @param milliseconds how long the links work; Infinity means a day
 */
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
