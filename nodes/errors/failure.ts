/** What is known of a paid run that a failure is about. The editor shows it as *Error data*. */
export interface RunData {
	thread_id: string | null;
	status: string;
	[field: string]: unknown;
}

/** Why something cannot be done, and what to do about it. */
export interface Problem {
	/** In the service's own words if it gave any, without a full stop. */
	reason: string;
	/** The one thing to do next, without the reason and without a full stop. */
	advice: string;
}

/** What a start has come to: no run (it was refused, or never sent), perhaps one (no response to it), or a run. */
export type Effect = 'none' | 'maybe' | 'run';

/** What happened instead of a result, as values. The node error is made of it once, where it leaves the node. */
export interface Failure extends Problem {
	/** What that costs, as a sentence without a full stop; empty if the advice says it, and what another run costs if it is not told. */
	cost?: string;
	/** The one thing to do next if the item is one of several, which share the fields of the form. */
	adviceAmongOthers?: string;
	/** The one thing that an AI agent can do next if it fills in *Thread ID*. */
	adviceForAgent?: string;
	/** Whether the input was refused, so that nothing was sent. */
	isInput?: boolean;
	/** Whether nothing was sent because there was no connection. */
	isUnsent?: boolean;
	/** Whether there was no response because nothing was received for too long. */
	isIdle?: boolean;
	/** Whether it is about all items, so that no item is named. */
	isAboutAll?: boolean;
	httpCode?: string;
	/** The headers of a response that refused the request because the service is busy: it had no effect, and may be sent again. */
	busy?: Record<string, unknown>;
	/** What the text of the run is, such as "The full reply", if the advice is to read it. */
	textLabel?: string;
	/** What n8n knows of an expression that fails, such as the node that it refers to: the editor explains it and leads there. */
	expression?: object;
	/** What the start that this is about has come to, if it is about one. */
	effect?: Effect;
	/** Which start had no effect, if it is not the only one: that of one of several items, or a further one of its item. */
	noRunScope?: 'item' | 'further';
	/** What is known of the runs of its item; missing if no run can have been started. */
	run?: RunData;
}

/** Carries a failure to the place where the node error is made. */
export class FailureError extends Error {
	constructor(readonly failure: Failure) {
		super(failure.reason);
	}
}

/**
 * What n8n cannot read for an item, so that nothing is sent.
 *
 * @param advice what to do if an expression fails, and if it is anything else
 */
export function unreadableInput(error: Error & { context?: object }, [failing, other]: [string, string]): FailureError {
	const told = error.name === 'ExpressionError' ? { advice: failing, expression: error.context } : { advice: other };
	return new FailureError({ reason: error.message, ...told, isInput: true });
}

/**
 * Input that is refused before anything is sent.
 *
 * @param reason what is wrong, naming the field; never with the value that it holds
 * @param effect given if the error has to say that no run was started
 */
export const inputError = (reason: string, advice: string, effect?: Effect): FailureError =>
	new FailureError({ reason, advice, isInput: true, effect });

/** Two sentences as one text. The first one's full stop, if it has any, is not doubled. */
export const withAdvice = (reason: string, advice: string): string =>
	// Without the look behind, the time would grow with the square of the number of dots and blanks.
	`${reason.replace(/(?<![.\s])[.\s]+$/, '')}. ${advice}`;
