const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Tells why a secret must not be sent to an address, so that nothing is sent before somebody looks at it.
 *
 * @param url the address of the service or of one of its endpoints
 * @param name what the address is called in the form, for the sentence
 * @param allowUnencrypted whether `http://` is allowed to hosts other than this machine
 * @param secret what would be sent, for the sentence
 * @returns a sentence that names the field and what to do, or undefined where the address is fine
 */
export function findUrlProblem(
	url: string,
	name: string,
	allowUnencrypted: boolean,
	secret = 'the API key',
): string | undefined {
	if (url.trim() === '') return `${name} is empty. Enter the address of the service in the credential`;
	if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) {
		return `${name} has no scheme. Enter it in the credential with https:// in front, e.g. https://api.example.com`;
	}
	if (!URL.canParse(url)) return `${name} is not a valid URL. Correct it in the credential`;
	const { protocol, hostname, username, password, search, hash } = new URL(url);
	if (protocol !== 'https:' && protocol !== 'http:') {
		return `${name} must start with https://, not with ${protocol}//`;
	}
	if (username || password) return `${name} must not hold a user name or a password. Remove them in the credential`;
	if (search || hash) return `${name} must end before any "?" or "#". Correct it in the credential`;
	if (protocol === 'http:' && !allowUnencrypted && !LOOPBACK.test(hostname)) {
		return `${name} starts with http://, so ${secret} would travel unencrypted. Use https://, or turn on Allow Unencrypted Connections in the credential`;
	}
	return undefined;
}

/** An address from the credential, without the slashes and blanks at its ends. */
export const trimUrl = (url: string): string => url.trim().replace(/\/+$/, '');
