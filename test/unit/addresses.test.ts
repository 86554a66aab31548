import { findUrlProblem } from '../../nodes/addresses/service-url';

it.each([
	['', 'is empty'],
	['127.0.0.1:1', 'does not start with https://'],
	['https://', 'is not a valid URL'],
	['ftp://e.co', 'starts with ftp://'],
	['https://user:pass@e.co', 'contains a user name or a password'],
	['https://e.co/?a', 'contains "?" or "#"'],
	['https://e.co/a', undefined],
	...['localhost:1/a', 'api.localhost', '127.8.0.1', '[::1]:1'].map((host) => [`http://${host}`, undefined]),
	...['e.co', '10.0.0.1', 'localhost.e.co', '127.0.0.1.e.co', 'notlocalhost'].map((host) => [
		`http://${host}`,
		'starts with http://, so the API key would be sent unencrypted',
	]),
])('finds out whether %j can be an address', (url, reason) => {
	expect(findUrlProblem(url!, 'URL', false)?.reason).toBe(reason && `'URL' ${reason}`);
});
