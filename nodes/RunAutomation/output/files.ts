// Stores a run's files as binary data. A lost file is a warning.

import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { isDataUrl, readDataUrl, type FileInUrl } from '../../shared/values/data-url';
import { fetchFile, TOO_LARGE } from '../../shared/http/download';
import { copyText, filledText } from '../../shared/values/text';
import type { RunRequest } from '../form/run-request';
import { nameOfFile } from './file-name';
import type { NodeInExecution } from '../../shared/n8n/execution';
import type { RunResult } from '../result/result';

/** Numbers in versions and dates are no extensions (n8n#8583). */
const EXTENSION = /\.(?=\w*[a-z])\w{1,10}$/i;

/** A complete type has a subtype: the AI SDK also knows `image/*` and `image`. */
function typeOf({ media_type: given }: IDataObject, url: string): string {
	const types = [filledText(given) ?? '', /^data:([^;,]*)/i.exec(url)?.[1] ?? ''];
	return copyText(types.find((type) => /^[\w.+-]+\/[\w.+-]+\s*(?:;|$)/.test(type)) ?? '');
}

interface FileOptions
	extends Pick<RunRequest, 'downloadLinks' | 'filesProperty' | 'includeFiles' | 'limits' | 'maxBytes'> {
	/** The credential's URLs, whose origins may be in a private network. */
	credentialUrls?: string[];
	/** Where n8n moves the item's files in its JSON. */
	path?: string;
}

interface AboutFile extends IDataObject {
	media_type: string;
	filename: string;
}

class FileCollector {
	readonly binary: IBinaryKeyData = {};
	readonly warnings: string[] = [];
	private bytesLeft: number;

	constructor(
		private readonly batch: NodeInExecution,
		private readonly options: FileOptions,
		private readonly deadline: number,
	) {
		this.bytesLeft = options.maxBytes;
	}

	async add(file: IDataObject, index: number): Promise<IDataObject> {
		const { downloadLinks, includeFiles } = this.options;
		const url = filledText(file.url) ?? '';
		const isSent = isDataUrl(url);
		if (!isSent && !(downloadLinks && includeFiles)) return file;
		const mediaType = typeOf(file, url);
		const { bytes, problem, disposition } = await this.read(url, mediaType);
		const name = nameOfFile({ disposition, filename: filledText(file.filename), url }) ?? `file-${index}`;
		const about = {
			media_type: mediaType,
			filename: name,
			...(bytes && { size: bytes.length }),
			...(!isSent && { url }),
		};
		if (bytes && !includeFiles) return about;
		if (problem !== undefined || bytes.length > this.bytesLeft)
			return this.lose(about, isSent ? 'read' : 'downloaded', problem ?? TOO_LARGE);
		return await this.store(bytes, about, index);
	}

	private async read(url: string, mediaType: string): Promise<FileInUrl> {
		if (isDataUrl(url)) return readDataUrl(url);
		if (!/^https?:/i.test(url)) return { problem: 'its URL is neither a data: URL nor a web link' };
		const { context, execution } = this.batch;
		const { limits, credentialUrls = [] } = this.options;
		const left = { idle: limits.idle, total: this.deadline - performance.now() };
		const link = { url, credentialUrls, mediaType, maxBytes: this.bytesLeft };
		return await fetchFile(context.helpers, link, left, execution);
	}

	private async store(content: Buffer, about: AboutFile, index: number): Promise<IDataObject> {
		const { context, execution } = this.batch;
		const { filesProperty, path = '_files' } = this.options;
		const { media_type: mediaType, filename } = about;
		const stored = await context.helpers
			.prepareBinaryData(content, filename, mediaType || undefined)
			.catch((error: Error) => error.message);
		if (typeof stored === 'string') return this.lose(about, 'stored', stored);
		// n8n knows the extension of a type.
		if (!EXTENSION.test(filename)) stored.fileName = `${filename}.${stored.fileExtension ?? 'bin'}`;
		this.bytesLeft -= content.length;
		const field = `${filesProperty}_${index}`;
		this.binary[field] = stored;
		const binary = execution.movesFiles && stored.id ? `${path}.${field}` : field;
		return { ...about, media_type: mediaType || stored.mimeType, filename: stored.fileName ?? filename, binary };
	}

	private lose(about: AboutFile, what: string, reason: string): IDataObject {
		this.warnings.push(`File ${about.filename} was not ${what}: ${reason}`);
		return { ...about, reason };
	}
}

/**
 * Files in the stream come first, and links get the remaining size.
 *
 * @param deadline milliseconds of `performance.now`
 * @returns files with `size` in bytes, and a binary field or a `reason`
 */
export async function attachFiles(
	batch: NodeInExecution,
	result: RunResult,
	options: FileOptions,
	deadline: number,
): Promise<{ result: RunResult; binary: IBinaryKeyData; warnings: string[] }> {
	const collector = new FileCollector(batch, options, deadline);
	const files: IDataObject[] = [];
	const isSent = ([, { url }]: [number, IDataObject]) => isDataUrl(filledText(url));
	const all = [...result.files.entries()];
	const sentFirst = [...all.filter(isSent), ...all.filter((one) => !isSent(one))];
	for (const [index, file] of sentFirst) files[index] = await collector.add(file, index);
	const { binary, warnings } = collector;
	return { result: { ...result, files, warnings: [...result.warnings, ...warnings] }, binary, warnings };
}
