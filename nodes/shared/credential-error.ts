import type { NodeApiError } from 'n8n-workflow';

import { type Problem, withAdvice } from './failure';

/** n8n keeps only the response data of an error. */
export class CredentialError extends Error {
	readonly response: { data: Problem };

	constructor(reason: string, advice: string) {
		// The connection test shows only the message, inside the credential.
		super(withAdvice(reason, advice.replace(/ (in|into) the credential/, '')));
		this.response = { data: { reason, advice } };
	}
}

export function credentialProblemOf({ context }: NodeApiError): Problem | undefined {
	const { reason, advice } = Object(context.data) as Partial<Problem>;
	return typeof reason === 'string' && typeof advice === 'string' ? { reason, advice } : undefined;
}
