// Stores a run's files as binary data, with names by what their servers and the agent say. A lost file is a warning.

import { parse } from 'content-disposition';
import type { IBinaryKeyData } from 'n8n-workflow';

import { urlsIn } from '../../shared/http/credential';
import { fetchFile, TOO_LARGE } from '../../shared/http/download';
import { isDataUrl, readDataUrl, type FileInUrl } from '../../shared/values/data-url';
import { copyText, filledText, visible } from '../../shared/values/text';
import { parseUrl } from '../../shared/values/url';
import type { RequestedItem } from '../form/run-request';
import type { Fields } from '../run/run';

/** Characters. n8n's database stores at most 255. */
const MAX_NAME = 200;

/** A name cannot lead to another folder. */
function baseName(path: string): string {
	const last = visible(path.split(/[\\/]/).at(-1)!.slice(-MAX_NAME));
	return /^\.*$/.test(last) ? '' : copyText(last);
}

function lastOfPath(url: string): string {
	const path = isDataUrl(url) ? '' : (parseUrl(url)?.pathname ?? '');
	try {
		return decodeURIComponent(path);
	} catch {
		// A path that is not UTF-8 stays as it was sent.
		return path;
	}
}

/** RFC 6266. Node.js reads bytes as Latin-1, but many servers send UTF-8. */
function nameInHeader(disposition: string): string {
	const utf8 = Buffer.from(disposition, 'latin1').toString();
	return parse(utf8.includes('\uFFFD') ? disposition : utf8).parameters.filename ?? '';
}

/** The server knows the name best, then the agent. */
export function nameOfFile(file: { disposition?: string; filename?: string; url: string }): string | undefined {
	const names = [nameInHeader(file.disposition ?? ''), file.filename ?? '', lastOfPath(file.url)];
	return names.map(baseName).find(Boolean);
}

/** Numbers in versions and dates are no extensions (n8n#8583). */
const EXTENSION = /\.(?=\w*[a-z])\w{1,10}$/i;

/** A complete type has a subtype: the AI SDK also knows `image/*` and `image`. */
function typeOf({ media_type: given }: Fields, url: string): string {
	const types = [filledText(given) ?? '', /^data:([^;,]*)/i.exec(url)?.[1] ?? ''];
	return copyText(types.find((type) => /^[\w.+-]+\/[\w.+-]+\s*(?:;|$)/.test(type)) ?? '');
}

/** A page can make a run return any number of links, and each is a request. */
const MAX_LINKS = 100;

/**
 * @param deadline milliseconds of `performance.now`
 * @param path where n8n moves the item's files in its JSON
 * @returns files as items list them: a stored one with `size` in bytes and its binary field, a lost one with a `reason`
 */
export async function attachFiles(
	{ context, execution, request }: RequestedItem,
	files: Fields[],
	deadline: number,
	path = '_files',
): Promise<{ files: Fields[]; binary: IBinaryKeyData; warnings: string[] }> {
	const { downloadLinks, limits, maxBytes } = request;
	const isStoring = !execution.isTool;
	const attached = [...files];
	const binary: IBinaryKeyData = {};
	const warnings: string[] = [];
	let bytesLeft = maxBytes;
	const urlOf = ({ url }: Fields) => filledText(url) ?? '';
	// Files in the stream come first, and links get the remaining size.
	const places = [...files.entries()];
	const sent = places.filter(([, file]) => isDataUrl(urlOf(file)));
	const links = downloadLinks && isStoring ? places.filter(([, file]) => !isDataUrl(urlOf(file))) : [];
	const tooMany = links.splice(MAX_LINKS);
	for (const [index, file] of tooMany) attached[index] = { ...file, reason: `it is not one of the first ${MAX_LINKS}` };
	if (tooMany.length > 0)
		warnings.push(`Only the first ${MAX_LINKS} linked files were downloaded. Not downloaded: ${tooMany.length}`);
	for (const [index, file] of [...sent, ...links]) {
		const url = urlOf(file);
		const isSent = isDataUrl(url);
		const mediaType = typeOf(file, url);
		let content: FileInUrl = { problem: 'its URL is neither a data: URL nor a web link' };
		if (isSent) content = readDataUrl(url);
		else if (/^https?:/i.test(url)) {
			const left = { idle: limits.idle, total: deadline - performance.now() };
			const link = { url, credentialUrls: urlsIn(request.credentials), mediaType, maxBytes: bytesLeft };
			content = await fetchFile(context.helpers, link, left, execution);
		}
		const { bytes, disposition } = content;
		const filename = nameOfFile({ disposition, filename: filledText(file.filename), url }) ?? `file-${index}`;
		const size = bytes && { size: bytes.length };
		const about = { media_type: mediaType, filename, ...size, ...(!isSent && { url }) };
		if (bytes && !isStoring) {
			attached[index] = about;
			continue;
		}
		let lost = `not ${isSent ? 'read' : 'downloaded'}`;
		let reason = content.problem ?? TOO_LARGE;
		if (bytes && bytes.length <= bytesLeft) {
			const hasExtension = EXTENSION.test(filename);
			const stored = await context.helpers
				.prepareBinaryData(bytes, hasExtension ? filename : undefined, mediaType || undefined)
				.catch((error: Error) => error.message);
			if (typeof stored !== 'string') {
				// n8n knows the extension of a type.
				if (!hasExtension) stored.fileName = `${filename}.${stored.fileExtension ?? 'bin'}`;
				bytesLeft -= bytes.length;
				const field = `file_${index}`;
				binary[field] = stored;
				attached[index] = {
					...about,
					media_type: mediaType || stored.mimeType,
					filename: stored.fileName ?? filename,
					binary: execution.movesFiles && stored.id ? `${path}.${field}` : field,
				};
				continue;
			}
			lost = 'not stored';
			reason = stored;
		}
		warnings.push(`File ${filename} was ${lost}: ${reason}`);
		attached[index] = { ...about, reason };
	}
	return { files: attached, binary, warnings };
}
