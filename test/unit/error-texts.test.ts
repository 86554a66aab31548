import { brokenReason, noResponseReason } from '../../nodes/errors/no-response';
import { reasonFor } from '../../nodes/errors/service-error';
import { CHECK_BEFORE_RESTART, readOutcome } from '../../nodes/starts/outcome';

const reasonOf = (loc: unknown[], msg: string) =>
	reasonFor({ statusCode: 422, headers: {}, body: { detail: [{ loc, msg, type: 'some_type' }] } });

describe('the reason of a validation error', () => {
	it.each([
		['Input should be a valid string', 'Depth must be text'],
		['Input should be a valid boolean, unable to interpret input', 'Depth must be true or false'],
		['Input should be a valid integer', 'Depth must be a number'],
		['Input should be a valid list', 'Depth must be a list'],
		["Input should be 'fast' or 'deep'", "Depth must be 'fast' or 'deep'"],
		['Field required', 'Depth is missing'],
		['Not on weekends', 'Depth: Not on weekends'],
	])('calls the field as the form does: %s', (message, reason) => {
		expect(reasonOf(['body', 'depth'], message)).toBe(reason);
	});

	it('keeps the path of a field that the form does not have', () => {
		expect(reasonOf(['body', 'cookies', 0, 'name'], 'Field required')).toBe('body.cookies.0.name: Field required');
		expect(reasonOf(['body', 'constructor'], 'Field required')).toBe('body.constructor: Field required');
		expect(reasonOf(['header', 'depth'], 'Field required')).toBe('header.depth: Field required');
	});
});

it('a start that finds nothing at its address names the address', () => {
	const advice = 'Nothing responds at the Automation URL. Correct it in the credential';
	expect(readOutcome(404, undefined, false).advice).toBe(advice);
});

it('a start in a thread that finds nothing may lack the thread or the address', () => {
	const advice = 'Check the Thread ID in this node. If it is correct, check the Automation URL in the credential';
	expect(readOutcome(404, undefined, true).advice).toBe(advice);
});

it.each([
	['Parse Error: Header overflow', 'its headers are too large'],
	['Parse Error: Expected HTTP/, RTSP/ or ICE/', 'it is not HTTP'],
	['incorrect header check', 'its compressed data is damaged'],
	['incorrect data check', 'its compressed data is damaged'],
	['stream has been aborted', 'it ended early'],
	['unexpected end of file', 'it ended early'],
])('an error of reading is said in plain words: %s', (message, meaning) => {
	const reason = `The response of the service cannot be read: ${meaning}`;
	expect(noResponseReason({ code: undefined, message })).toBe(reason);
	expect(brokenReason({ code: 'Z_DATA_ERROR', message })).toBe(reason);
});

it.each([
	['ECONNRESET', ' (connection reset)'],
	['EOTHER', ' (EOTHER)'],
	[undefined, ''],
])('a connection that breaks during a run says why: %s', (code, why) => {
	expect(brokenReason({ code, message: 'aborted' })).toBe(`The connection to the service broke during the run${why}`);
});

it('an unknown error of sending keeps its own words', () => {
	expect(noResponseReason({ code: 'X', message: 'Domain not allowed' })).toBe('Domain not allowed');
});

it('a success that names a thread but is not what a start returns asks to look for the run', () => {
	expect(readOutcome(200, 'thread-1', false).advice).toBe(CHECK_BEFORE_RESTART);
	expect(readOutcome(200, undefined, false).advice).toBeUndefined();
	expect(readOutcome(302, 'thread-1', false).advice).toBeUndefined();
});
