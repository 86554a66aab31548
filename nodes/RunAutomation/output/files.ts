import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withoutFileContents } from '../../errors/file-contents';
import type { RunRequest } from '../parameters/run-request';
import { fetchFile, TOO_LARGE, type FetchedFile } from '../../files/fetch-file';

/** The files of a run, in an item. */
export interface AttachedFiles {
	/** What is known of each: `media_type`, `filename`, `size` (bytes), `binary` (its binary field), `url` of a link. */
	files: IDataObject[];
	binary: IBinaryKeyData;
	/** Why a file is missing. */
	warnings: string[];
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

const isDataUrl = (url: string) => /^data:/i.test(url);

/** The last piece of a path, so that nothing in it leads to another folder. */
function baseName(name: string): string {
	let decoded = name;
	try {
		decoded = decodeURIComponent(name.replace(/%(?![0-9a-f]{2})/gi, '%25'));
	} catch {
		// Not UTF-8: the name stays as it was sent.
	}
	const last = decoded.split(/[\\/]/).at(-1)!.trim();
	return /^\.*$/.test(last) ? '' : last;
}

function nameOf(url: string, mediaType: string, index: number): string {
	const path = URL.canParse(url) && !isDataUrl(url) ? new URL(url).pathname : '';
	const extension = /^[a-z]+\/(?:x-)?([a-z0-9]+)$/i.exec(mediaType)?.[1] ?? 'bin';
	return baseName(path) || `file-${index}.${extension.toLowerCase()}`;
}

/** The file in a `data:` URL. */
function decodeDataUrl(url: string): FetchedFile {
	const comma = url.indexOf(',');
	if (comma === -1) return { problem: 'its data: URL has no data' };
	const isBase64 = /;base64$/i.test(url.slice(0, comma));
	const data = url.slice(comma + 1);
	try {
		return { bytes: isBase64 ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data)) };
	} catch {
		return { problem: 'its data: URL is not valid' };
	}
}

/** A file as binary data of n8n, or why n8n could not store it. */
const store = async (context: IExecuteFunctions, bytes: Buffer, name: string, mediaType: string) =>
	await context.helpers.prepareBinaryData(bytes, name, mediaType || undefined).catch((error: Error) => error.message);

/**
 * Makes binary data of the files that the stream carried and, if the form says so, of linked ones. A file that cannot be
 * read becomes a warning: the result of the run must not depend on it.
 *
 * @param files with `url` and `media_type`, as the service sent them
 * @param request the prefix of the binary fields, whether to download linked files, and the bytes of all files together
 * @param limits milliseconds without data and in total that a download may take
 */
export async function attachFiles(
	context: IExecuteFunctions,
	files: IDataObject[],
	{ filesProperty, downloadLinks, maxBytes }: Pick<RunRequest, 'filesProperty' | 'downloadLinks' | 'maxBytes'>,
	limits: RunRequest['limits'],
): Promise<AttachedFiles> {
	const attached: AttachedFiles = { files: [], binary: {}, warnings: [] };
	let room = maxBytes;
	const read = async (url: string): Promise<FetchedFile> => {
		if (isDataUrl(url)) return decodeDataUrl(url);
		if (/^https?:/i.test(url)) return await fetchFile(context, url, room, limits);
		return { problem: 'its address is neither a data: URL nor a web link' };
	};
	const leaveOut = (file: IDataObject, warning: string) => {
		attached.files.push(withoutFileContents(file));
		attached.warnings.push(warning);
	};
	for (const [index, file] of files.entries()) {
		const [url, mediaType] = [file.url, file.media_type].map(textOf);
		if (!isDataUrl(url) && !downloadLinks) {
			attached.files.push(file);
			continue;
		}
		const name = nameOf(url, mediaType, index);
		const { bytes, problem } = await read(url);
		if (!bytes || bytes.length > room) {
			leaveOut(file, `File ${name} was not downloaded: ${problem ?? TOO_LARGE}`);
			continue;
		}
		const field = `${filesProperty}_${index}`;
		const stored = await store(context, bytes, name, mediaType);
		if (typeof stored === 'string') {
			leaveOut(file, `File ${name} was not stored: ${stored}`);
			continue;
		}
		attached.binary[field] = stored;
		const link = isDataUrl(url) ? {} : { url };
		attached.files.push({ media_type: mediaType, filename: name, size: bytes.length, binary: field, ...link });
		room -= bytes.length;
	}
	return attached;
}
