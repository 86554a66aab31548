// Parses URLs, and finds to which network one leads, and whether servers agree on its path.

/** `URL.canParse` of Node.js 20 and 22 rejects `müller.example` after some thousand calls. */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** Statuses that name another URL (RFC 9110, section 15.4). */
export const REDIRECTS = [301, 302, 303, 307, 308];

export const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

type Network = 'elsewhere' | 'privateNetwork' | 'localhost';

/** Names without a public domain, IANA's private IPv4 networks, and IPv6 outside of 2000::/3. 2002::/16 contains IPv4 addresses. */
const PRIVATE =
	/^([^.:]+|.+\.(local|internal|lan|home\.arpa)|(0|10|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|192\.0\.0|198\.1[89]|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|2(2[4-9]|[3-5]\d))\.[\d.]+|\[(2002:|(?![23][\da-f]{3}:)).*)$/;

/** `URL` has already read notations such as `2130706433` and `0x7f.1`. */
export function networkOf(url: string): Network {
	const hostname = new URL(url).hostname.replace(/\.$/, '');
	if (LOOPBACK.test(hostname)) return 'localhost';
	return PRIVATE.test(hostname) ? 'privateNetwork' : 'elsewhere';
}

/** An escape, of which IIS also decodes `%u002e`. */
const PATH_ESCAPE = /%(?:u|[\da-f]{2})/i;

/** Proxies and servers each decode a path once. A path with more escapes of escapes is nobody's name for anything. */
const MAX_DECODINGS = 5;

/** Undefined if the path cannot be decoded to the end. */
function decodedToTheEnd(path: string): string | undefined {
	try {
		let decoded = path;
		// Some servers read wide slashes and dots as narrow ones.
		for (let count = 0; count < MAX_DECODINGS; count++) {
			decoded = decodeURIComponent(decoded).normalize('NFKC');
			if (!PATH_ESCAPE.test(decoded)) return decoded;
		}
	} catch {
		// Servers decode bytes that are not UTF-8 in different ways.
	}
	return undefined;
}

/** Nothing but dots and blanks: some servers read `..;x` as `..`, or end a path at a `?` or `#` that they have decoded. */
const DOTS = /(?:^|\/)\s*\.[\s.]*(?:[/;?#]|$)/;

/**
 * True if servers may read the path differently.
 *
 * @param mayEscapeSlashes true if a name in it may contain a slash (`team/shop`)
 */
export function isAmbiguousPath(pathname: string, mayEscapeSlashes: boolean): boolean {
	const path = decodedToTheEnd(pathname);
	if (path === undefined || DOTS.test(path) || /[\\\p{C}]/u.test(path)) return true;
	return !mayEscapeSlashes && path.split('/').length !== pathname.split('/').length;
}
