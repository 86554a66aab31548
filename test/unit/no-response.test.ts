import { wasNothingSent } from '../../nodes/errors/no-response';

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
