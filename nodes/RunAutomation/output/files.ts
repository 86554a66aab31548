import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { isDataUrl, readDataUrl, type FileInUrl } from '../../shared/data-url';
import { fetchFile, TOO_LARGE } from '../../shared/download';
import { copyText, filledText, visible } from '../../shared/text';
import { parseUrl } from '../../shared/url';
import type { RunRequest } from '../form/run-request';
import type { Batch } from '../start';

/** File extensions of media types whose name differs from the extension. */
const EXTENSIONS: Record<string, string> = { plain: 'txt', jpeg: 'jpg', javascript: 'js', markdown: 'md', mpeg: 'mp3' };

/** Maximum characters of a name, counted from its end. n8n's database stores no more than 255. */
const MAX_NAME = 200;

/** The last part of a path, so that a name cannot lead to another folder. */
function baseName(name: string): string {
	let decoded = name;
	try {
		decoded = decodeURIComponent(name.replace(/%(?![0-9a-f]{2})/gi, '%25'));
	} catch {
		// Not UTF-8: the name stays as it was sent.
	}
	const last = visible(decoded.split(/[\\/]/).at(-1)!.slice(-MAX_NAME));
	return /^\.*$/.test(last) ? '' : last;
}

function fileNameOf(url: string, mediaType: string, index: number): string {
	const path = isDataUrl(url) ? '' : (parseUrl(url)?.pathname ?? '');
	const type = /^[a-z]+\/(?:x-)?([a-z0-9]+)$/i.exec(mediaType)?.[1]?.toLowerCase() ?? 'bin';
	return copyText(baseName(path) || `file-${index}.${EXTENSIONS[type] ?? type}`);
}

type FileOptions = Pick<RunRequest, 'downloadLinks' | 'filesProperty' | 'includeFiles' | 'limits' | 'maxBytes'> & {
	/** Path of the item's files, if n8n moves them into its JSON. */
	path?: string;
};

/**
 * Makes binary data of the files in the stream and, if the form says so, of linked files, which get the remaining size. A file
 * that cannot be read becomes a warning: the result of the run must not depend on it.
 *
 * @param files with `url` and `media_type`, as the service sent them
 * @param deadline latest end of downloads by the limits of the run, in milliseconds of `performance.now`
 * @returns `files` with `media_type`, `filename`, `size` (bytes), `binary` (the binary field) or the `reason` of its absence,
 *   `url` of a link; and `warnings`, a sentence for each missing file
 */
export async function attachFiles(
	{ context: { helpers }, execution: { endsAt, movesFiles, stop } }: Pick<Batch, 'context' | 'execution'>,
	files: IDataObject[],
	{ downloadLinks, filesProperty, includeFiles, limits, maxBytes, path = '_files' }: FileOptions,
	deadline: number,
) {
	const attached: IDataObject[] = [];
	const warnings: string[] = [];
	const binary: IBinaryKeyData = {};
	let bytesLeft = maxBytes;

	const read = async (url: string): Promise<FileInUrl> => {
		if (isDataUrl(url)) return readDataUrl(url);
		if (!/^https?:/i.test(url)) return { problem: 'its URL is neither a data: URL nor a web link' };
		const now = performance.now();
		const left = { idle: limits.idle, total: deadline - now, workflow: endsAt - now };
		return await fetchFile(helpers, url, bytesLeft, left, stop);
	};
	const describe = async (file: IDataObject, index: number): Promise<IDataObject> => {
		const url = filledText(file.url) ?? '';
		const isSent = isDataUrl(url);
		if (!isSent && !(downloadLinks && includeFiles)) return file;
		// A slice would keep the complete URL in memory.
		const mediaType = copyText(filledText(file.media_type) ?? '');
		const name = fileNameOf(url, mediaType, index);
		const { size, bytes, problem } = await read(url);
		const about = { media_type: mediaType, filename: name, ...(bytes && { size }), ...(!isSent && { url }) };
		if (bytes && !includeFiles) return about;
		const lose = (reason: string, what: string) => {
			warnings.push(`File ${name} was not ${what}: ${reason}`);
			return { ...about, reason };
		};
		if (!bytes || size > bytesLeft) return lose(problem ?? TOO_LARGE, isSent ? 'read' : 'downloaded');
		const stored = await helpers
			.prepareBinaryData(bytes(), name, mediaType || undefined)
			.catch((error: Error) => error.message);
		if (typeof stored === 'string') return lose(stored, 'stored');
		bytesLeft -= size;
		const field = `${filesProperty}_${index}`;
		binary[field] = stored;
		return { ...about, binary: movesFiles && stored.id ? `${path}.${field}` : field };
	};
	const isLink = ([, { url }]: [number, IDataObject]) => Number(!isDataUrl(filledText(url)));
	const sentFirst = [...files.entries()].sort((a, b) => isLink(a) - isLink(b));
	for (const [index, file] of sentFirst) attached[index] = await describe(file, index);
	return { files: attached, binary, warnings };
}
