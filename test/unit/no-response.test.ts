import { noResponseReason, wasNothingSent } from '../../nodes/errors/no-response';

it.each(['EAI_AGAIN', 'ECONNREFUSED', 'ENOTFOUND'])('%s means that nothing was sent', (code) => {
	expect(wasNothingSent(code)).toBe(true);
});

// An established connection ends with these codes, too, after the request went out.
it.each(['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT', undefined])(
	'%s does not prove that nothing was sent',
	(code) => {
		expect(wasNothingSent(code)).toBe(false);
	},
);

it.each(['Parse Error: Header overflow', 'incorrect header check', 'stream has been aborted'])(
	'says in plain words that a response cannot be read: %s',
	(message) => {
		expect(noResponseReason({ code: undefined, message })).toBe(
			`The response of the service cannot be read (${message})`,
		);
	},
);

it('leaves an unknown error in its own words', () => {
	expect(noResponseReason({ code: 'X', message: 'Domain not allowed' })).toBe('Domain not allowed');
});
