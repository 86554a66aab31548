// What a failure is: a reason, one thing to do next, and what is known of the run.

/** The editor shows it as *Error data*. */
export interface KnownRun {
	thread_id: string | null;
	status: string;
	reason?: string;
	text?: string;
	blocked_by?: string;
	warnings?: string[];
	/** Starts of its item, or of all items if the node stops. */
	runs?: object[];
}

export interface Problem {
	/** In the service's own words, if any; no full stop. */
	reason: string;
	/** The one thing to do next; no full stop. */
	advice: string;
}

/** What a start may have caused: no run (rejected or never sent), possibly a run, or a run. */
export type Effect = 'none' | 'maybe' | 'run';

/** Why a request failed, if code decides by it. */
export type FailureCause =
	/** The form, a file or the credential is invalid. Nothing was sent. */
	| 'input'
	/** No connection. */
	| 'noConnection'
	/** It may be sent again. */
	| 'busy'
	/** A start may have been accepted. Others should wait. */
	| 'unavailable'
	| 'threadInUse'
	/** It is not sent again. */
	| 'unknownEffect';

export interface Failure extends Problem {
	/** About a run, only for an agent that can set *Thread ID*. */
	adviceForAgent?: string;
	cause?: FailureCause;
	/** The headers of the response, if it is busy or unavailable. */
	headers?: Record<string, unknown>;
	/** A status, or a code of n8n's client. */
	httpCode?: string;
	/** The service's own values for branching, in the details of an error item. */
	values?: object;
	/** What n8n knows of an expression that failed: the editor links to its node. */
	expression?: object;
	effect?: Effect;
	/** Undefined if no run can have been started. */
	run?: KnownRun;
}

export class FailureError extends Error {
	constructor(readonly failure: Failure) {
		super(failure.reason);
	}
}

/** The first advice is for an expression that fails. */
export function unreadableInput(error: Error & { context?: object }, advice: string, other = advice): FailureError {
	const about = error.name === 'ExpressionError' ? { advice, expression: error.context } : { advice: other };
	return new FailureError({ reason: error.message, ...about, cause: 'input' });
}

/** The reason names the field, never its value. */
export const inputError = (reason: string, advice: string): FailureError =>
	new FailureError({ reason, advice, cause: 'input' });

/** An AI agent must not try other input, or ask its user for the key. */
export const credentialFailure = (problem: Problem): Failure => ({
	...problem,
	adviceForAgent: `Tell the user: ${problem.advice}`,
	cause: 'input',
});

export const withAdvice = (reason: string, advice: string): string =>
	// The lookbehind keeps the time linear in the number of dots and spaces.
	`${reason.replace(/(?<![.\s])[.\s]+$/, '')}. ${advice}`;
