/** Data of the billed run behind a failure. The editor shows it as *Error data*. */
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

/** A reason, and the advice for it. */
export interface Problem {
	/** In the service's own words if possible, without a full stop. */
	reason: string;
	/** The one thing to do next, without the reason and without a full stop. */
	advice: string;
}

/** Effect of a start request: no run (rejected or never sent), possibly a run (no response), or a run. */
export type Effect = 'none' | 'maybe' | 'run';

/** Why a request failed, if code decides by it. Everything else in a failure is for its readers. */
export type FailureCause =
	/** The form, a file or the credential is invalid: nothing was sent. */
	| 'input'
	/** There was no connection: nothing was sent. */
	| 'unsent'
	/** The service is busy and rejected the request, which may be sent again; see `headers`. */
	| 'busy'
	/** The service is unavailable, but may have accepted the start: others should wait; see `headers`. */
	| 'unavailable'
	| 'threadInUse'
	/** The request may have had an effect, so that it is not sent again. A start has `effect` instead. */
	| 'unknownEffect';

/** A failure as values. It becomes a node error once, where it leaves the node. */
export interface Failure extends Problem {
	/** The advice for an AI agent; advice about a run is only for an agent that can set *Thread ID*. */
	adviceForAgent?: string;
	cause?: FailureCause;
	headers?: Record<string, unknown>;
	httpCode?: string;
	/** n8n's context for a failed expression; the editor uses it to link to the referenced node. */
	expression?: object;
	/** Effect of the start behind it, if there is one. */
	effect?: Effect;
	/** Known data of its item's runs; undefined if no run can have been started. */
	run?: RunData;
}

/** Passes a failure to the place where it becomes a node error. */
export class FailureError extends Error {
	constructor(readonly failure: Failure) {
		super(failure.reason);
	}
}

/** An input that n8n cannot read, so that nothing is sent. The first advice is for an expression that fails. */
export function unreadableInput(error: Error & { context?: object }, advice: string, other = advice): FailureError {
	const about = error.name === 'ExpressionError' ? { advice, expression: error.context } : { advice: other };
	return new FailureError({ reason: error.message, ...about, cause: 'input' });
}

/** Input that is rejected before anything is sent. The reason names the invalid field, never its value. */
export const inputError = (reason: string, advice: string): FailureError =>
	new FailureError({ reason, advice, cause: 'input' });

/** A credential that cannot be used: nothing is sent. An AI agent must not try other input, or ask its user for the key. */
export const credentialFailure = (problem: Problem): Failure => ({
	...problem,
	adviceForAgent: `Tell the user: ${problem.advice}`,
	cause: 'input',
});

/** Joins two sentences. The first sentence's full stop, if any, is not doubled. */
export const withAdvice = (reason: string, advice: string): string =>
	// Without the lookbehind, the time would grow with the square of the number of dots and spaces.
	`${reason.replace(/(?<![.\s])[.\s]+$/, '')}. ${advice}`;
