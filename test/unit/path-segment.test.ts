import { encodeSegment, findSegmentFault } from '../../nodes/shared/path-segment';

it.each([
	[undefined, 'is empty'],
	[null, 'is empty'],
	['', 'is empty'],
	[' \t', 'is empty'],
	['.', 'must not be "." or ".."'],
	['..', 'must not be "." or ".."'],
	[{}, 'is not a text'],
	[true, 'is not a text'],
	['\ud800', 'holds half a character'],
	['...', undefined],
	['a/b', undefined],
	['%2e%2e', undefined],
	[0, undefined],
])('finds out whether %j can be a segment', (value, fault) => {
	expect(findSegmentFault(value)).toBe(fault);
});

it.each([
	['a/b?c#d e%é', 'a%2Fb%3Fc%23d%20e%25%C3%A9'],
	['%2e%2e', '%252e%252e'],
	['..\\', '..%5C'],
	[17, '17'],
])('encodes %j as %s, and no URL reads it as more than a segment', (value, segment) => {
	expect(encodeSegment(value)).toBe(segment);
	expect(new URL(`https://api.example.test/secrets/${segment}`).pathname).toBe(`/secrets/${segment}`);
});
