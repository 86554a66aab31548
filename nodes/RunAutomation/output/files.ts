import type { IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';

import type { Part } from '../stream';

/** A file that was put into a binary property, or why it was not. */
export type TakenFile = { property: string } | { fault: string };

function nameOf({ filename, mediaType, url }: Part, index: number): string {
	if (typeof filename === 'string' && filename !== '') return filename;
	const path = URL.canParse(String(url)) && !String(url).startsWith('data:') ? new URL(String(url)).pathname : '';
	const last = path.split('/').at(-1);
	if (last) return decodeURIComponent(last.replace(/%(?![0-9a-f]{2})/gi, '%25'));
	const extension = /^[a-z]+\/(?:x-)?([a-z0-9]+)$/i.exec(String(mediaType))?.[1] ?? 'bin';
	return `file-${index}.${extension.toLowerCase()}`;
}

function decodeDataUrl(url: string, maxBytes: number): Buffer {
	const comma = url.indexOf(',');
	if (comma === -1) throw new Error('its data: URL has no data');
	const isBase64 = /;base64$/i.test(url.slice(0, comma));
	const data = url.slice(comma + 1);
	const bytes = isBase64 ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data));
	if (bytes.length > maxBytes) throw new Error('it is larger than the Maximum Response Size');
	return bytes;
}

/** Fetches a link with n8n's own client, which guards internal addresses where n8n is set up to. No key is sent. */
async function fetchLink(context: IExecuteFunctions, url: string, maxBytes: number): Promise<Buffer> {
	const body = (await context.helpers.httpRequest({ url, encoding: 'stream' })) as AsyncIterable<Uint8Array>;
	const pieces: Uint8Array[] = [];
	let size = 0;
	for await (const piece of body) {
		size += piece.length;
		if (size > maxBytes) throw new Error('it is larger than the Maximum Response Size');
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

/**
 * Puts the files of a run into binary properties `<property>_0`, `<property>_1`, …. A file that cannot be had is left as
 * a link, with a warning: it must not cost the run.
 *
 * @param maxBytes of one file
 */
export async function takeFiles(
	context: IExecuteFunctions,
	files: Part[],
	property: string,
	maxBytes: number,
): Promise<{ binary: IBinaryKeyData; taken: TakenFile[] }> {
	const binary: IBinaryKeyData = {};
	const taken: TakenFile[] = [];
	for (const [index, file] of files.entries()) {
		const url = String(file.url);
		const name = nameOf(file, index);
		try {
			if (!/^(data|https?):/i.test(url)) throw new Error('its address is neither a data: URL nor a web link');
			const bytes = /^data:/i.test(url) ? decodeDataUrl(url, maxBytes) : await fetchLink(context, url, maxBytes);
			const target = `${property}_${index}`;
			binary[target] = await context.helpers.prepareBinaryData(bytes, name, String(file.mediaType));
			taken.push({ property: target });
		} catch (error) {
			taken.push({ fault: `File ${name} was not downloaded: ${(error as Error).message}` });
		}
	}
	return { binary, taken };
}
