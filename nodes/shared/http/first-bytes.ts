// Judges by its first bytes whether a download is the file, or a text such as "Link expired".

/** These types are never text, except `SIGNATURES`. Old Office types are missing: people save tables and HTML as such. */
const BINARY =
	/^(?:image\/(?!svg|vnd\.dxf)|audio\/|video\/|application\/(?:pdf|(?:x-)?(?:7z|bzip2?|gzip|lz4|rar|tar|xz|zip|zstd)\b|java-archive|epub\+zip|vnd\.(?:rar|oasis\.opendocument|openxmlformats-)|vnd\.ms-[\w-]+\.[\w-]+\.macroenabled))/i;

/** ASCII beginnings of PDF, PostScript, netpbm, XPM, XBM, and playlists. */
const SIGNATURES = /%PDF-|^\s*(?:%!PS|P[1-6]\s|\/\* XPM|#define\s|#EXTM3U|\[playlist\])/;

/** A binary file has a byte that is no text before this. */
const BEGINNING_BYTES = 4096;

/** Tabs, line ends and form feeds are text. */
const CONTROL = /[^\P{Cc}\t\n\f\r]/u;

/** True if a file of a binary type begins with text (OpenVoiceUI PR#470). */
export function isTextFor(mediaType: string, bytes: Uint8Array): boolean {
	if (!BINARY.test(mediaType.trim()) || bytes.length === 0) return false;
	try {
		// `stream` accepts that the last character is cut.
		const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, BEGINNING_BYTES), { stream: true });
		return !CONTROL.test(text) && !SIGNATURES.test(text);
	} catch {
		return false;
	}
}
