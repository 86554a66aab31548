// The error that a credential throws while n8n adds it to a request, and the problem that a node reads from it afterwards.

import type { NodeApiError } from 'n8n-workflow';

import { withAdvice, type Problem } from './failure';

/** n8n keeps only the response data of an error of a credential. */
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
