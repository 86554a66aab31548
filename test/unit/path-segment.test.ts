import { encodeSegment, findSegmentFault } from '../../nodes/shared/path-segment';

it.each([undefined, null, '', ' \t', '.', '..', {}, true, '\ud800'])('refuses %j as a segment of a path', (value) => {
	expect(findSegmentFault(value)).toMatch(/./);
});

it.each([
	['...', '...'],
	['a/b?c#d e%é', 'a%2Fb%3Fc%23d%20e%25%C3%A9'],
	['%2e%2e', '%252e%252e'],
	['..\\', '..%5C'],
	[0, '0'],
])('encodes %j as %s, and no URL reads it as more than a segment', (value, segment) => {
	expect(findSegmentFault(value)).toBeUndefined();
	expect(encodeSegment(value)).toBe(segment);
	expect(new URL(`https://api.example.test/secrets/${segment}`).pathname).toBe(`/secrets/${segment}`);
});
