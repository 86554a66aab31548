/** The editor shows it as *Error data*. */
export interface RunData {
	thread_id: string | null;
	status: string;
	reason?: string;
	text?: string;
	blocked_by?: string;
	warnings?: string[];
	/** Every start of its item, or of all items if the node stops. */
	runs?: object[];
}

export interface Problem {
	/** In the service's own words if possible; no full stop. */
	reason: string;
	/** The one thing to do next; no full stop. */
	advice: string;
}

/** Effect of a start: no run (rejected or never sent), possibly a run, or a run. */
export type Effect = 'none' | 'maybe' | 'run';

/** Why a request failed, if code decides by it. */
export type FailureCause =
	/** The form, a file or the credential is invalid: nothing was sent. */
	| 'input'
	/** There was no connection: nothing was sent. */
	| 'unsent'
	/** The service is busy and rejected the request, which may be sent again. */
	| 'busy'
	/** The service is unavailable, but may have accepted the start: others should wait. */
	| 'unavailable'
	| 'threadInUse'
	/** The request may have had an effect, so that it is not sent again. Starts have `effect`. */
	| 'unknownEffect';

export interface Failure extends Problem {
	/** About a run, only for an agent that can set *Thread ID*. */
	adviceForAgent?: string;
	cause?: FailureCause;
	/** Of the response, if it is busy or unavailable. */
	headers?: Record<string, unknown>;
	/** The status of the response, or the code of n8n's client if there is none. */
	httpCode?: string;
	/** n8n's context for a failed expression; the editor uses it to link to the referenced node. */
	expression?: object;
	effect?: Effect;
	/** Undefined if no run can have been started. */
	run?: RunData;
}

export class FailureError extends Error {
	constructor(readonly failure: Failure) {
		super(failure.reason);
	}
}

/** Input that n8n cannot read. The first advice is for an expression that fails. */
export function unreadableInput(error: Error & { context?: object }, advice: string, other = advice): FailureError {
	const about = error.name === 'ExpressionError' ? { advice, expression: error.context } : { advice: other };
	return new FailureError({ reason: error.message, ...about, cause: 'input' });
}

/** Input that is rejected before anything is sent. The reason names the field, never its value. */
export const inputError = (reason: string, advice: string): FailureError =>
	new FailureError({ reason, advice, cause: 'input' });

/** A credential that cannot be used. An AI agent must not try other input, or ask its user for the key. */
export const credentialFailure = (problem: Problem): Failure => ({
	...problem,
	adviceForAgent: `Tell the user: ${problem.advice}`,
	cause: 'input',
});

/** Joins two sentences with one full stop. */
export const withAdvice = (reason: string, advice: string): string =>
	// Without the lookbehind, the time would grow with the square of the number of dots and spaces.
	`${reason.replace(/(?<![.\s])[.\s]+$/, '')}. ${advice}`;
