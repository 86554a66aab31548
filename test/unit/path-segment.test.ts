import { findSegmentProblem } from '../../nodes/addresses/path-segment';

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
