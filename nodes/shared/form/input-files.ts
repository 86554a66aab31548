// Finds an input item's files by their names in the form.

import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../failure/failure';
import { bytesOfBase64, isDataUrl, readDataUrl } from '../values/data-url';
import { isObject, valueAt } from '../values/nested';
import { filledText, shorten, shortenList } from '../values/text';

export type LinkHelpers = IExecuteFunctions['helpers'];

type FileObject = Record<string, unknown>;

const isStored = ({ id }: FileObject): boolean => filledText(id) !== undefined;

/** A Code node may return a file without a type. */
const isBinary = (value: unknown): value is FileObject =>
	isObject(value) &&
	(isStored(value) ||
		((value.id ?? '') === '' && (typeof value.data === 'string' || value.data instanceof Uint8Array)));

export const isFile = (value: unknown): value is FileObject => isBinary(value) && typeof value.mimeType === 'string';

/** n8n stores base64, but Code nodes also return a data URL (n8n#37612) or a Buffer. */
function withContent(file: FileObject, label: string, name: string): IBinaryData {
	const { data } = file;
	const mimeType = filledText(file.mimeType);
	if (isStored(file)) return { ...file, mimeType: mimeType ?? 'application/octet-stream' } as IBinaryData;
	const url = typeof data === 'string' && isDataUrl(data.trim()) ? data.trim() : undefined;
	const { bytes } = url
		? readDataUrl(url)
		: { bytes: typeof data === 'string' ? bytesOfBase64(data) : Buffer.from(data as Uint8Array) };
	if (!bytes) {
		const reason = `${label}: the content of ${JSON.stringify(shorten(name))} is not base64`;
		throw inputError(reason, 'Encode the content as base64 in an earlier node');
	}
	const type = mimeType ?? (url && filledText(/^data:([^;,]*)/i.exec(url)?.[1])) ?? 'application/octet-stream';
	return { ...file, mimeType: type, data: bytes.toString('base64') } as IBinaryData;
}

/** @param name of a binary field, or a path to a file in the item's JSON */
export function findFile({ json, binary = {} }: INodeExecutionData, label: string, name: string): IBinaryData {
	const stored = { ...Object(json._files), ...binary } as FileObject;
	const file = [valueAt(stored, name)].find(isBinary) ?? [valueAt(json, name)].find(isFile);
	if (file) return withContent(file, label, name);
	const inStored = Object.keys(stored).filter((key) => isBinary(stored[key]));
	const known = [...inStored, ...Object.keys(json).filter((key) => isFile(json[key]))];
	throw inputError(
		`${label}: the item has no file ${JSON.stringify(shorten(name))}`,
		known.length
			? `Files of this item: ${shortenList(known, 20).join(', ')}`
			: 'This item has no files: pass them through from earlier nodes',
	);
}

/** @throws FailureError with the field's label, such as for a file that n8n has deleted (n8n#12235) */
export async function readingFile<T>(label: string, name: string, read: () => Promise<T>): Promise<T> {
	return await read().catch(({ message }: Error) => {
		const reason = `${label}: the file ${name} cannot be read: ${message}`;
		throw inputError(reason, 'Check the file, then execute this node again');
	});
}

export const contentOf = async ({ id, data }: IBinaryData, helpers: Pick<LinkHelpers, 'getBinaryStream'>) =>
	id ? await helpers.getBinaryStream(id) : Buffer.from(data, 'base64');
