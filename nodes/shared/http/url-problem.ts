// Checks the URLs of a credential before a secret is sent there.

import type { Problem } from '../failure/failure';
import { parseUrl, LOOPBACK } from '../values/url';

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
