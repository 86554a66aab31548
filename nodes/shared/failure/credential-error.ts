// The error of a credential, and what a node reads from n8n's copy of it.

import type { NodeApiError } from 'n8n-workflow';

import { withAdvice, type Problem } from './failure';

/** n8n keeps only `response.data` of a credential's error. */
export class CredentialError extends Error {
	readonly response: { data: Problem };

	constructor(reason: string, advice: string) {
		// The connection test shows only the message.
		super(withAdvice(reason, advice));
		this.response = { data: { reason, advice } };
	}
}

export function credentialProblemOf({ context }: NodeApiError): Problem | undefined {
	const { reason, advice } = Object(context.data) as Partial<Problem>;
	return typeof reason === 'string' && typeof advice === 'string' ? { reason, advice } : undefined;
}
