/** Not with `URL.canParse`: in Node.js 20 and 22, it rejects hosts such as `müller.example` after some thousand calls. */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

export const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

const PRIVATE =
	/^(10(\.\d{1,3}){3}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}|192\.168(\.\d{1,3}){2}|169\.254(\.\d{1,3}){2}|\[f(?:[cd]|e[89ab])[0-9a-f:]+\]|[^.:]+|.+\.(?:local|internal|lan|home\.arpa))$/;

export function networkOf(url: string): 'elsewhere' | 'privateNetwork' | 'localhost' {
	const { hostname } = new URL(url);
	if (LOOPBACK.test(hostname)) return 'localhost';
	return PRIVATE.test(hostname) ? 'privateNetwork' : 'elsewhere';
}
