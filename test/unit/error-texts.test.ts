import { noResponseReason } from '../../nodes/errors/no-response';
import { reasonFor } from '../../nodes/errors/service-error';
import { responseAdvice } from '../../nodes/starts/outcome';

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
	expect(responseAdvice(404, undefined)).toBe('Nothing responds at the Automation URL. Correct it in the credential');
});

it.each(['Parse Error: Header overflow', 'incorrect header check', 'stream has been aborted'])(
	'an error of reading is said in plain words: %s',
	(message) => {
		const reason = `The response of the service cannot be read (${message})`;
		expect(noResponseReason({ code: undefined, message })).toBe(reason);
	},
);

it('an unknown error of sending keeps its own words', () => {
	expect(noResponseReason({ code: 'X', message: 'Domain not allowed' })).toBe('Domain not allowed');
});
