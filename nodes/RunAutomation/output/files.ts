import type { IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';

import type { RunRequest } from '../parameters/run-request';
import type { Part } from '../stream';
import { fetchFile } from '../transport/fetch-file';

/** A file that was put into a binary property, or why it was not. */
export type TakenFile = { property: string } | { fault: string };

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function decoded(name: string): string {
	try {
		return decodeURIComponent(name);
	} catch {
		return name;
	}
}

function nameOf(filename: string, mediaType: string, url: string, index: number): string {
	if (filename !== '') return filename;
	const path = URL.canParse(url) && !url.startsWith('data:') ? new URL(url).pathname : '';
	const last = path.split('/').at(-1);
	if (last) return decoded(last.replace(/%(?![0-9a-f]{2})/gi, '%25'));
	const extension = /^[a-z]+\/(?:x-)?([a-z0-9]+)$/i.exec(mediaType)?.[1] ?? 'bin';
	return `file-${index}.${extension.toLowerCase()}`;
}

function decodeDataUrl(url: string): Buffer {
	const comma = url.indexOf(',');
	if (comma === -1) throw new Error('its data: URL has no data');
	const isBase64 = /;base64$/i.test(url.slice(0, comma));
	const data = url.slice(comma + 1);
	return isBase64 ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data));
}

/**
 * Puts the files of a run into binary properties `<property>_0`, `<property>_1`, …. A file that cannot be had is left as
 * a link, with a warning: it must not cost the run.
 *
 * @param request tells the name of the property, the bytes that all files may have together, and how long to wait
 */
export async function attachFiles(
	context: IExecuteFunctions,
	files: Part[],
	property: string,
	{ maxBytes, limits }: Pick<RunRequest, 'maxBytes' | 'limits'>,
): Promise<{ binary: IBinaryKeyData; taken: TakenFile[] }> {
	const binary: IBinaryKeyData = {};
	const taken: TakenFile[] = [];
	let room = maxBytes;
	for (const [index, file] of files.entries()) {
		const [url, mediaType, filename] = [file.url, file.mediaType, file.filename].map(textOf);
		const name = nameOf(filename, mediaType, url, index);
		try {
			if (!/^(data|https?):/i.test(url)) throw new Error('its address is neither a data: URL nor a web link');
			const bytes = /^data:/i.test(url) ? decodeDataUrl(url) : await fetchFile(context, url, room, limits);
			if (bytes === undefined || bytes.length > room) {
				throw new Error('with it the files are larger than the Maximum Response Size');
			}
			const target = `${property}_${index}`;
			binary[target] = await context.helpers.prepareBinaryData(bytes, name, mediaType || undefined);
			taken.push({ property: target });
			room -= bytes.length;
		} catch (error) {
			taken.push({ fault: `File ${name} was not downloaded: ${(error as Error).message}` });
		}
	}
	return { binary, taken };
}
