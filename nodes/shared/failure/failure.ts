// A failure: its reason, one next step, and the known data of its run; and a credential's error, which n8n copies.

import type { NodeApiError } from 'n8n-workflow';

/** The editor shows it as *Error data*. */
export interface KnownRun {
	thread_id: string | null;
	status: string;
	reason?: string;
	text?: string;
	blocked_by?: string;
	warnings?: string[];
	/** One item's starts, or all items' if the node stops. */
	runs?: object[];
}

/** True if the service has not reported the end of a run. */
export const mayBeInProgress = ({ status }: { status: string }): boolean =>
	status === 'interrupted' || status === 'timed_out';

export interface Problem {
	/** The service's own words, if any, without a full stop. */
	reason: string;
	/** One next step, without a full stop. */
	advice: string;
}

/** What a start may have caused. `none` means that it was rejected or never sent, or that the request starts no run. */
export type Effect = 'none' | 'maybe' | 'run';

type FailureCause =
	/** The form, a file or the credential is invalid, and nothing was sent. */
	| 'input'
	| 'noConnection'
	/** The request may be sent again. */
	| 'busy'
	/** The service may have accepted it, so other requests should wait. */
	| 'unavailable'
	| 'threadInUse'
	/** The request may have had an effect, and is not sent again. */
	| 'unknownEffect';

export interface Failure extends Problem {
	/** If there is a run, only an agent that can set *Thread ID* gets it. */
	adviceForAgent?: string;
	cause?: FailureCause;
	/** The response's headers, by which the gate waits. */
	headers?: Record<string, unknown>;
	/** An HTTP status, or an error code of n8n's client. The reason is then a server's or the client's words. */
	httpCode?: string;
	/** The service's own values, by which workflows branch on an error item. */
	values?: object;
	/** Whether a session's recording may still come. *Get Replay* waits by it. Undefined without a response. */
	recording?: 'coming' | 'never' | 'unknown';
	/** n8n's data on a failed expression, by which the editor links to its node. */
	expression?: object;
	effect: Effect;
	/** Undefined if no run can have been started. */
	run?: KnownRun;
}

export type ValueOrFailure<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

export class FailureError extends Error {
	constructor(readonly failure: Failure) {
		super(failure.reason);
	}
}

export function unreadableInput(error: Error & { context?: object }, advice: string, other = advice): FailureError {
	const about = error.name === 'ExpressionError' ? { advice, expression: error.context } : { advice: other };
	return new FailureError({ reason: error.message, ...about, cause: 'input', effect: 'none' });
}

/** The failure of an item whose fields could not be read, with the advice for an error that says nothing of a field. */
export const failureOfInput = (error: unknown, advice: string): Failure =>
	(error instanceof FailureError ? error : unreadableInput(error as Error, advice)).failure;

/** @param reason names the field, but never its value */
export const inputError = (reason: string, advice: string): FailureError =>
	new FailureError({ reason, advice, cause: 'input', effect: 'none' });

/** An AI agent must neither try other input nor ask its user for the key. */
export const credentialFailure = (problem: Problem): Failure => ({
	...problem,
	adviceForAgent: `Tell the user: ${problem.advice}`,
	cause: 'input',
	effect: 'none',
});

export const withAdvice = (reason: string, advice: string): string =>
	// The lookbehind keeps the time linear.
	`${reason.replace(/(?<![.\s])[.\s]+$/, '')}. ${advice}`;

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
