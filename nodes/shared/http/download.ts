// Downloads a file without the key. Each hop and the first bytes are checked, and bytes and time are limited.

import type { IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import type { FileInUrl } from '../values/data-url';
import { noResponseReason } from '../failure/response/no-response';
import { compressionIn, stillCompressed } from '../failure/response/reason';
import { bodyOf, ByteLimit, NoFileError, TooLargeError, Watchdog, type Body, type Ends, type Limits } from './watchdog';
import { shorten, visible } from '../values/text';
import { networkOf, parseUrl, REDIRECTS } from '../values/url';

type DownloadHelpers = Pick<IExecuteFunctions['helpers'], 'httpRequest'> & TargetHelpers;

export const TOO_LARGE = 'it exceeds 64 MB, together with other files of the run';

/** Servers send these instead of a file: a sign-in page, or a reason. */
const PAGE = /^(text\/html|(text|application)\/([\w.-]+\+)?(json|xml))(?![\w.+-])/i;

export async function fetchFile(
	helpers: DownloadHelpers,
	{ mediaType, maxBytes, ...link }: Omit<Download, 'sender' | 'refused'> & { mediaType: string; maxBytes: number },
	limits: Limits,
	ends: Ends,
): Promise<FileInUrl> {
	const watchdog = new Watchdog(limits, ends);
	const sender = 'its server';
	try {
		const refused = mediaType === '' || PAGE.test(mediaType) ? undefined : PAGE;
		const { body, disposition } = await openFile(helpers, { ...link, sender, refused }, watchdog);
		const pieces: Uint8Array[] = [];
		const limit = new ByteLimit(maxBytes, watchdog);
		for await (const piece of body) pieces.push(limit.take(piece));
		limit.rejectEmpty(sender);
		const bytes = Buffer.concat(pieces);
		if (isTextFor(mediaType, bytes)) throw new NoFileError(`${sender} sent text instead of the file`);
		return { bytes, disposition };
	} catch (error) {
		return { problem: error instanceof TooLargeError ? TOO_LARGE : problemOf(error as Error, watchdog, sender) };
	} finally {
		watchdog.close();
	}
}

/** The client's error may contain the link, which opens the file to anyone, so only its cause is told. */
export function problemOf(error: Error, watchdog: Watchdog, sender: string): string {
	const ended = watchdog.endReason('file');
	if (ended) return ended;
	if (error instanceof NoFileError) return error.message;
	const reason = noResponseReason(error, sender);
	return reason.charAt(0).toLowerCase() + reason.slice(1);
}

interface Download {
	url: string;
	/** The credential's URLs. */
	credentialUrls: string[];
	/** The subject of reasons, such as "its server". */
	sender: string;
	/** Media types that mean something else than the file. */
	refused?: RegExp;
}

/** n8n's own Agents lack the filter. */
type TargetHelpers = Partial<Pick<IExecuteFunctions['helpers'], 'getSecureEgressFilter'>>;

/**
 * A page may make the agent name a URL that only n8n can reach. n8n's filter reads every notation, DNS, and the n8n owner's lists of
 * allowed and blocked addresses.
 *
 * @param credentialUrls the credential's: their origins are allowed, because services may be in one's own network
 */
export async function isForbidden(
	{ getSecureEgressFilter }: TargetHelpers,
	{ href, origin }: URL,
	credentialUrls: string[],
): Promise<boolean> {
	if (credentialUrls.some((allowed) => parseUrl(allowed)?.origin === origin)) return false;
	const verdict = await getSecureEgressFilter?.('enforced')
		.validateUrl(href)
		.catch(() => undefined);
	const isUnresolved = verdict?.ok === false && (verdict.error as { syscall?: string }).syscall === 'getaddrinfo';
	// A proxy may resolve a name that n8n cannot.
	return verdict === undefined || isUnresolved ? networkOf(href) !== 'elsewhere' : !verdict.ok;
}

const MAX_REDIRECTS = 5;

/** n8n's client would follow redirects unchecked. */
async function requestFile(
	helpers: DownloadHelpers,
	{ url, credentialUrls, sender }: Download,
	{ signal }: Watchdog,
): Promise<IN8nHttpFullResponse> {
	let target = parseUrl(url);
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		if (!target || !/^https?:$/.test(target.protocol)) {
			throw new NoFileError(redirects === 0 ? 'its link is not valid' : `${sender} redirected to no web link`);
		}
		if (await isForbidden(helpers, target, credentialUrls)) {
			throw new NoFileError(
				`${shorten(visible(target.host))} is in a private network, from which no files are downloaded`,
			);
		}
		const response = (await helpers.httpRequest({
			url: target.href,
			encoding: 'stream',
			returnFullResponse: true,
			disableFollowRedirect: true,
			// An error of n8n's client would keep the connection open.
			ignoreHttpStatusErrors: true,
			abortSignal: signal,
			timeout: 0,
		})) as IN8nHttpFullResponse;
		const location = REDIRECTS.includes(response.statusCode) ? response.headers.location : undefined;
		if (typeof location !== 'string') return response;
		bodyOf(response.body);
		target = parseUrl(location, target.href);
	}
	throw new NoFileError(`${sender} redirected more than ${MAX_REDIRECTS} times`);
}

/** @throws NoFileError, or the error of n8n's client */
export async function openFile(
	helpers: DownloadHelpers,
	download: Download,
	watchdog: Watchdog,
): Promise<{ body: Body; disposition: string }> {
	const { sender, refused } = download;
	const response = await requestFile(helpers, download, watchdog);
	const body = bodyOf(response.body);
	const { statusCode, headers } = response;
	if (statusCode !== 200) throw new NoFileError(`${sender} responded with status ${statusCode}`);
	const codings = compressionIn(headers);
	if (codings) throw new NoFileError(`${sender} sent an unreadable file: ${stillCompressed(codings)}`);
	const [type] = refused?.exec(String(headers['content-type'])) ?? [];
	if (type) throw new NoFileError(`${sender} sent ${type} instead of the file`);
	return { body, disposition: String(headers['content-disposition'] ?? '') };
}

/** These types are never text, except `SIGNATURES`. Old Office types are missing: people save tables and HTML as such. */
const BINARY =
	/^(?:image\/(?!svg|vnd\.dxf)|audio\/|video\/|application\/(?:pdf|(?:x-)?(?:7z|bzip2?|gzip|lz4|rar|tar|xz|zip|zstd)\b|java-archive|epub\+zip|vnd\.(?:rar|oasis\.opendocument|openxmlformats-)|vnd\.ms-[\w-]+\.[\w-]+\.macroenabled))/i;

/** ASCII beginnings of PDF, PostScript, netpbm, XPM, XBM, and playlists. */
const SIGNATURES = /%PDF-|^\s*(?:%!PS|P[1-6]\s|\/\* XPM|#define\s|#EXTM3U|\[playlist\])/;

/** A binary file has a byte that is no text before this. */
const BEGINNING_BYTES = 4096;

/** Tabs, line ends and form feeds are text. */
const CONTROL = /[^\P{Cc}\t\n\f\r]/u;

/** The text at the beginning of the bytes, or undefined if they are no text. */
function beginningOf(bytes: Uint8Array): string | undefined {
	try {
		// `stream` accepts that the last character is cut.
		const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, BEGINNING_BYTES), { stream: true });
		return text === '' || CONTROL.test(text) ? undefined : text;
	} catch {
		return undefined;
	}
}

export const isPlainText = (bytes: Uint8Array): boolean => beginningOf(bytes) !== undefined;

/** True if a file of a binary type begins with text (OpenVoiceUI PR#470). */
export const isTextFor = (mediaType: string, bytes: Uint8Array): boolean =>
	BINARY.test(mediaType.trim()) && !SIGNATURES.test(beginningOf(bytes) ?? '%PDF-');
