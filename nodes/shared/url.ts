import type { Problem } from './failure';

/** Not with `URL.canParse`: in Node.js 20 and 22, it rejects hosts such as `müller.example` after some thousand calls. */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

const PRIVATE =
	/^(10(\.\d{1,3}){3}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}|192\.168(\.\d{1,3}){2}|169\.254(\.\d{1,3}){2}|\[f(?:[cd]|e[89ab])[0-9a-f:]+\]|[^.:]+|.+\.(?:local|internal|lan|home\.arpa))$/;

export function networkOf(url: string): 'elsewhere' | 'privateNetwork' | 'localhost' {
	const { hostname } = new URL(url);
	if (LOOPBACK.test(hostname)) return 'localhost';
	return PRIVATE.test(hostname) ? 'privateNetwork' : 'elsewhere';
}

/**
 * Why a secret must not be sent to a URL.
 *
 * @param name label of its field
 */
export function findUrlProblem(
	url: string,
	name: string,
	allowUnencrypted: boolean,
	secret = 'the API key',
): Problem | undefined {
	const problem = (is: string, advice: string) => ({ reason: `'${name}' ${is}`, advice });
	if (url.trim() === '') return problem('is empty', "Enter the service's URL in the credential");
	if (!/^https?:\/\//i.test(url)) {
		return problem(
			'does not start with https://',
			'Enter the full URL in the credential, such as https://api.example.com',
		);
	}
	const parsed = parseUrl(url);
	if (!parsed) return problem('is not a valid URL', 'Correct it in the credential');
	const { protocol, hostname, username, password } = parsed;
	if (username || password) {
		return problem('contains a user name or a password', 'Remove them from the URL in the credential');
	}
	if (/[?#]/.test(url))
		return problem('contains "?" or "#"', 'In the credential, remove this character and everything after it');
	if (protocol === 'http:' && !allowUnencrypted && !LOOPBACK.test(hostname)) {
		return problem(
			`starts with http://, so ${secret} would be sent unencrypted`,
			"Use https://, or turn on 'Allow Unencrypted Connections' in the credential",
		);
	}
	return undefined;
}
