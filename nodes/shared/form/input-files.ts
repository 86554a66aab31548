import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../failure/failure';
import { filledText, shorten, shortenList } from '../values/text';
import { isObject, valueAt } from '../values/nested';
export type LinkHelpers = IExecuteFunctions['helpers'];

/** A Code node may return a file without a type. */
const isBinary = (value: unknown): value is IBinaryData & Record<string, unknown> =>
	isObject(value) && [value.data ?? value.id, value.id ?? ''].every((field) => typeof field === 'string');

export const isFile = (value: unknown): value is IBinaryData & Record<string, unknown> =>
	isBinary(value) && typeof value.mimeType === 'string';

/** By its binary field, or by its path if the workflow keeps files in JSON. */
export function findFile({ json, binary = {} }: INodeExecutionData, label: string, name: string): IBinaryData {
	const stored = { ...Object(json._files), ...binary } as Record<string, unknown>;
	const file = [valueAt(stored, name)].find(isBinary) ?? [valueAt(json, name)].find(isFile);
	if (file) return { ...file, mimeType: filledText(file.mimeType) ?? 'application/octet-stream' };
	const inStored = Object.keys(stored).filter((key) => isBinary(stored[key]));
	const known = [...inStored, ...Object.keys(json).filter((key) => isFile(json[key]))];
	throw inputError(
		`${label}: the item has no file ${JSON.stringify(shorten(name))}`,
		known.length
			? `Files of this item: ${shortenList(known, 20).join(', ')}`
			: 'This item has no files. Pass them through from earlier nodes',
	);
}

export const contentOf = async ({ id, data }: IBinaryData, helpers: Pick<LinkHelpers, 'getBinaryStream'>) =>
	id ? await helpers.getBinaryStream(id) : Buffer.from(data, 'base64');
