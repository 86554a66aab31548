import type { NodeApiError } from 'n8n-workflow';

import { type Problem, withAdvice } from './failure';

/**
 * The error that a credential throws before anything is sent. n8n turns it into a node error, and keeps only the
 * response data of an error: so both parts are stored there.
 */
export class CredentialError extends Error {
	readonly response: { data: Problem };

	constructor(reason: string, advice: string) {
		// n8n's connection test shows nothing but the message, inside the credential.
		super(withAdvice(reason, advice.replace(/ (in|into) the credential/, '')));
		this.response = { data: { reason, advice } };
	}
}

/** The problem that a credential reports if it cannot be used; undefined if the error has another cause. */
export function credentialProblemOf({ context }: NodeApiError): Problem | undefined {
	const { reason, advice } = Object(context.data) as Partial<Problem>;
	return typeof reason === 'string' && typeof advice === 'string' ? { reason, advice } : undefined;
}
