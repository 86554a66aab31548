// Judges by its first bytes whether a download is the file that was asked for, or a text in its place, such as "Link expired".

/** Types that are never text, except `SIGNATURES`. The old types of Office are not among them: people save tables and HTML as such. */
const BINARY =
	/^(?:image\/(?!svg|vnd\.dxf)|audio\/|video\/|application\/(?:pdf|(?:x-)?(?:7z|bzip2?|gzip|lz4|rar|tar|xz|zip|zstd)\b|java-archive|epub\+zip|vnd\.(?:rar|oasis\.opendocument|openxmlformats-)|vnd\.ms-[\w-]+\.[\w-]+\.macroenabled))/i;

/** How files of these types begin that may be ASCII: PDF, PostScript, netpbm, XPM, XBM, and playlists. */
const SIGNATURES = /%PDF-|^\s*(?:%!PS|P[1-6]\s|\/\* XPM|#define\s|#EXTM3U|\[playlist\])/;

/** Bytes. Binary types have a byte that is no text in a header shorter than this. */
const BEGINNING = 4096;

/** Tabs, line ends and form feeds are text. */
const CONTROL = /[^\P{Cc}\t\n\f\r]/u;

/** Whether a file of a binary type begins with text (OpenVoiceUI PR#470). */
export function isTextFor(mediaType: string, bytes: Uint8Array): boolean {
	if (!BINARY.test(mediaType.trim()) || bytes.length === 0) return false;
	try {
		// The last character of the beginning may be cut.
		const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, BEGINNING), { stream: true });
		return !CONTROL.test(text) && !SIGNATURES.test(text);
	} catch {
		return false;
	}
}
