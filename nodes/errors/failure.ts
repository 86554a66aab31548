/** Data of the billed run behind a failure. The editor shows it as *Error data*. */
export interface RunData {
	thread_id: string | null;
	status: string;
	[field: string]: unknown;
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

/** A failure as values. It becomes a node error once, where it leaves the node. */
export interface Failure extends Problem {
	/** Cost sentence, without a full stop. Empty if the advice includes it; undefined: the default cost of another run. */
	cost?: string;
	/** The advice if the item is one of several, which share the fields of the form; empty if there is none. */
	adviceAmongOthers?: string;
	/** The advice in the error item of one of several items, if it differs. */
	adviceInItem?: string;
	/** The advice instead of a changed type, if that type was right for another item. */
	adviceIfTypeIsRight?: string;
	/** What the advice changes: a part of the request, so that all items start again, or only a limit or an option. */
	changes?: 'column' | 'setting' | 'task' | 'type' | 'URL';
	/** The advice for an AI agent; advice about a run is only for an agent that can set *Thread ID*. */
	adviceForAgent?: string;
	/** Whether the input is invalid, so that nothing was sent. */
	isInput?: boolean;
	/** Whether nothing was sent because there was no connection. */
	isUnsent?: boolean;
	/** Whether there was no response because nothing was received for too long. */
	isIdle?: boolean;
	/** Whether it concerns all items, so that no item is named. */
	isAboutAll?: boolean;
	/** Whether the request may have had an effect, so that it is not sent again. A start has `effect` instead. */
	isFinal?: boolean;
	/** Whether the thread that a follow-up run was to continue no longer exists. */
	isThreadGone?: boolean;
	httpCode?: string;
	/** Headers of a rejection because the service is busy: the request had no effect and may be sent again. */
	busy?: Record<string, unknown>;
	/** Headers of a response that the service is unavailable: the start may have been accepted, and others should wait. */
	unavailable?: Record<string, unknown>;
	/** Name of the text of the run, such as "The full reply", if the advice is to read it. */
	textLabel?: string;
	/** n8n's context for a failed expression; the editor uses it to link to the referenced node. */
	expression?: object;
	/** Effect of the start behind it, if there is one. */
	effect?: Effect;
	/** The start that had no effect, if there are others: of one of several items, or a later start of its item. */
	noRunScope?: 'item' | 'further';
	/** Known data of its item's runs; undefined if no run can have been started. */
	run?: RunData;
	/** The thread that the request was to continue, if it was sent and `run` does not name that thread. */
	requestedThread?: string;
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
	return new FailureError({ reason: error.message, ...about, isInput: true });
}

/** Input that is rejected before anything is sent. The reason names the invalid field, never its value. */
export const inputError = (reason: string, advice: string): FailureError =>
	new FailureError({ reason, advice, isInput: true });

/** A credential that cannot be used: nothing is sent. An AI agent must not try other input, or ask its user for the key. */
export const credentialFailure = (problem: Problem): Failure => ({
	...problem,
	adviceForAgent: `Tell the user: ${problem.advice}`,
	isInput: true,
});

/** Joins two sentences. The first sentence's full stop, if any, is not doubled. */
export const withAdvice = (reason: string, advice: string): string =>
	// Without the lookbehind, the time would grow with the square of the number of dots and spaces.
	`${reason.replace(/(?<![.\s])[.\s]+$/, '')}. ${advice}`;
