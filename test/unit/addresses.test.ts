import { findSegmentProblem } from '../../nodes/addresses/path-segment';
import { findUrlProblem } from '../../nodes/addresses/service-url';

it.each([
	['', 'is empty'],
	['.', 'must not be "." or ".."'],
	['..', 'must not be "." or ".."'],
	['\ud800', 'contains invalid characters'],
	['...', undefined],
	['a/b', undefined],
	['%2e%2e', undefined],
])('finds out whether %j can be a segment', (text, problem) => {
	expect(findSegmentProblem(text)).toBe(problem);
});

it.each([
	['', 'URL is empty'],
	['127.0.0.1:1', 'URL does not start with https://'],
	['https://', 'URL is not a valid URL'],
	['ftp://e.co', 'URL starts with ftp://'],
	['https://user:pass@e.co', 'URL contains a user name or a password'],
	['https://e.co/?a', 'URL contains "?" or "#"'],
	['http://e.co', 'URL starts with http://, so the API key would be sent unencrypted'],
	['https://e.co/a', undefined],
])('finds out whether %j can be an address', (url, reason) => {
	expect(findUrlProblem(url, 'URL', false)?.reason).toBe(reason);
});
