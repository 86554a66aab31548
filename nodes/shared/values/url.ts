// Parses URLs, and finds to which network one leads.

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
