// Finds an input item's files, by a name in the form or from an expression.

import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../failure/failure';
import { bytesOfBase64, isDataUrl, readDataUrl } from '../values/data-url';
import { isObject, valueAt } from '../values/nested';
import { filledText, shorten, shortenList } from '../values/text';
import { isExpression } from './expressions';
import { isMissing, quotedLabel } from './field';
import type { Field } from './fields';
import { readRequiredText } from './read';

export type LinkHelpers = IExecuteFunctions['helpers'];

type FileObject = Record<string, unknown>;

const isStored = ({ id }: FileObject): boolean => filledText(id) !== undefined;

/** A Code node may return a file without a type. */
const isBinary = (value: unknown): value is FileObject =>
	isObject(value) &&
	(isStored(value) ||
		((value.id ?? '') === '' && (typeof value.data === 'string' || value.data instanceof Uint8Array)));

export const isFile = (value: unknown): value is FileObject => isBinary(value) && typeof value.mimeType === 'string';

/** True for a file, and for n8n's description of one without its content. */
export const isFileInExpression = (value: unknown): value is FileObject =>
	isBinary(value) || (isObject(value) && typeof value.mimeType === 'string');

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

const FILE_ADVICE =
	"Enter the name of the file's field, or return the file itself, such as {{ $('Node').item.binary.data }}";

/** An expression may return the file itself (n8n#21203, n8n#20831). */
function fileInExpression(label: string, given: FileObject): IBinaryData {
	const name = filledText(given.fileName) ?? 'file';
	if (isBinary(given)) return withContent(given, label, name);
	throw inputError(`${label}: the expression returns a file without its content`, FILE_ADVICE);
}

/** Rejects objects such as all files of an item. */
export function rejectNoFile(field: Field, given: unknown): void {
	if (!isObject(given) || isFileInExpression(given)) return;
	throw inputError(`${quotedLabel(field)} is neither the name of a file's field nor a file`, FILE_ADVICE);
}

/** If an expression finds no file, the field's default would name another one. */
export function readFileOrName(field: Field, given: unknown, stored?: unknown): string | FileObject {
	rejectNoFile(field, given);
	if (isFileInExpression(given)) return given;
	if (isMissing(given) && isExpression(stored)) throw inputError(`${quotedLabel(field)} has no value`, FILE_ADVICE);
	return readRequiredText(field, given, stored);
}

/** @param given the name of a binary field, a path to a file in JSON, or a file from an expression */
export function findFile(
	{ json, binary = {} }: INodeExecutionData,
	label: string,
	given: string | FileObject,
): IBinaryData {
	const stored = { ...Object(json._files), ...binary } as FileObject;
	if (typeof given !== 'string') return fileInExpression(label, given);
	const file = [valueAt(stored, given)].find(isBinary) ?? [valueAt(json, given)].find(isFile);
	if (file) return withContent(file, label, given);
	const inStored = Object.keys(stored).filter((key) => isBinary(stored[key]));
	const known = [...inStored, ...Object.keys(json).filter((key) => isFile(json[key]))];
	throw inputError(
		`${label}: the item has no file ${JSON.stringify(shorten(given))}`,
		known.length
			? `Files of this item: ${shortenList(known, 20).join(', ')}`
			: 'This item has no files. Pass them through from earlier nodes',
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
