import type { CredentialError } from '../../nodes/shared/failure/credential-error';
import { checkUrl } from '../../nodes/shared/http/credential';
import { networkOf } from '../../nodes/shared/values/url';
import { each } from '../support/each';

/** Why a secret may not go to that URL. */
function problemWith(baseUrl: string, allowUnencrypted = false, secret = 'the API key') {
	try {
		checkUrl({ baseUrl, allowUnencrypted }, 'baseUrl', secret);
		return undefined;
	} catch (error) {
		return (error as CredentialError).response.data;
	}
}

const http = (host: string) => `http://${host}`;
const QUERY = 'contains "?" or "#"';
const UNSAFE = 'starts with http://, so the API key would be sent unencrypted';

it.each<[string, string | undefined]>([
	...each(['', ' '], 'is empty'),
	...each(['127.0.0.1:1', '1https://e.co', 'ftp://e.co', 'https://'], 'does not start with https://'),
	['https://e co', 'is not a valid URL'],
	...each(['https://user@e.co', 'https://:pass@e.co', 'https://user:pass@e.co'], 'contains a user name or a password'),
	...each(['https://e.co/?a', 'https://e.co/#a', 'https://e.co/?a#b', 'https://e.co?', 'https://e.co/#'], QUERY),
	['https://e.co/a', undefined],
	...each(['localhost:1/a', 'api.localhost', '127.8.0.12', '0.0.0.0:1', '[::]:1', '[::1]:1'].map(http), undefined),
	...each(['e.co', '10.0.0.1', 'localhost.e.co', '127.0.0.1.e.co', '0.0.0.0.e.co', 'notlocalhost'].map(http), UNSAFE),
])('finds out whether %j can be a URL', (url, reason) => {
	const problem = problemWith(url);
	expect(problem?.reason).toBe(reason && `'Base URL' ${reason}`);
	if (problem) expect(problem.advice).toMatch(/in the credential/i);
});

it('lets a secret go to a URL without encryption only if that is allowed', () => {
	expect(problemWith('http://e.co', true)).toBeUndefined();
	expect(problemWith('http://e.co', false, 'the token')?.reason).toContain('so the token would be sent');
});

it.each([
	...each(['localhost:1', 'a.localhost', '127.1.2.3', '0.0.0.0', '[::]', '[::1]'], 'localhost'),
	...each(['10.1.2.3', '10.100.120.1', '172.16.0.1', '172.29.0.1', '172.31.255.255', '192.168.1.1'], 'privateNetwork'),
	...each(['192.168.178.10', '169.254.1.1', '169.254.169.254', '[fd00::1]', '[fe80::1]'], 'privateNetwork'),
	...each(['n8n', 'n8n.local', 'n8n.internal'], 'privateNetwork'),
	...each(['e.co', '172.15.0.1', '172.32.0.1', '11.1.1.1', '10.1.2.3.e.co'], 'elsewhere'),
	...each(['[2001:db8::1]', 'local.e.co'], 'elsewhere'),
])('reports where http://%s leads: %s', (host, place) => expect(networkOf(`http://${host}`)).toBe(place));
