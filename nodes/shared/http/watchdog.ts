// Ends a request at a time limit or when the execution is stopped, and hands n8n the signal for it.

import {
	sleep,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
} from 'n8n-workflow';

import { LIMIT_NAMES } from '../failure/limits';
import { counted } from '../values/text';

/** Maximum milliseconds between two checks, and of the last timer of a finished run. */
const TICK = 1000;

/** A timer that fires later than this, in milliseconds, means that the process may have received nothing meanwhile. */
const LATE = 20;

/** A standstill is long if it takes more than this part of the limit of silence: a busy process is often late by less. */
const LONG_PART = 4;

/** Milliseconds in which n8n's client hands over what the operating system has kept, and the longest time that this may take. */
const TURN = 20;
const QUIET_TURNS = 3;
const MAX_CATCH_UP = 2000;

/** Milliseconds of silence, in total, and until the time limit of the workflow; Infinity means no limit. */
export interface Limits {
	idle: number;
	total: number;
	workflow?: number;
}

export type Body = AsyncIterable<Uint8Array>;

/** If it is closed before its end, it raises an error that nothing else would handle. */
export function bodyOf(stream: unknown): Body {
	const body = stream as Body & { on?(event: 'error', listener: () => void): void };
	body.on?.('error', () => {});
	return body;
}

export const WORKFLOW_LIMIT = "The workflow is about to reach its time limit ('Timeout Workflow' in its settings)";

const seconds = (milliseconds: number) => counted(milliseconds / 1000, 'second');

/** Closes a connection at a limit, or when the execution is stopped. One timer, whatever the number of chunks. */
export class Watchdog {
	/** The limit that was reached and closed the connection. */
	expired: keyof Limits | undefined;

	/** About once a second while the connection is open. */
	tick?: () => void;

	private readonly controller = new AbortController();

	readonly signal = this.controller.signal;

	private readonly started = performance.now();

	/** Milliseconds in which the process could receive nothing: it was stopped, or the machine slept, or other code blocked it. */
	private standstill = 0;

	private lastByte = this.started;

	private readonly abort = () => this.controller.abort();

	private readonly limits: Limits;

	constructor(
		limits: Limits,
		private readonly stop: AbortSignal | undefined,
	) {
		this.limits = { ...limits };
		// A signal made by `AbortSignal.any` can be collected before it fires on Node 20: forward the abort manually.
		if (stop?.aborted) this.abort();
		else stop?.addEventListener('abort', this.abort);
		void this.watch();
	}

	get isStopped(): boolean {
		return this.stop?.aborted === true;
	}

	get expiredReason(): string | undefined {
		const { idle, total } = this.limits;
		const reasons = {
			workflow: WORKFLOW_LIMIT,
			total: `The run took longer than ${seconds(total)} (${LIMIT_NAMES.total})`,
			idle: `The service sent no data for ${seconds(idle)} (${LIMIT_NAMES.idle})`,
		};
		return this.expired && reasons[this.expired];
	}

	/** Milliseconds of a clock that stands still with the process. */
	get awake(): number {
		return performance.now() - this.standstill;
	}

	touch(): void {
		this.lastByte = this.awake;
	}

	/** Sets a limit of milliseconds from now on, unless another one is reached before. */
	endWithin(milliseconds: number): void {
		this.limits.total = Math.min(this.limits.total, performance.now() - this.started + milliseconds);
	}

	close(): void {
		this.stop?.removeEventListener('abort', this.abort);
		this.abort();
	}

	private async watch(): Promise<void> {
		while (!this.signal.aborted) {
			// `endWithin` may change the limits meanwhile.
			const { idle, total, workflow = Infinity } = this.limits;
			const passed = performance.now() - this.started;
			const silent = this.awake - this.lastByte;
			const left = { workflow: workflow - passed, total: total - passed, idle: idle - silent };
			this.expired = (Object.keys(left) as Array<keyof Limits>).find((limit) => left[limit] <= 0);
			if (this.expired) this.close();
			else {
				this.tick?.();
				await this.pause(Math.min(...Object.values(left), TICK));
			}
		}
	}

	private async pause(wait: number): Promise<void> {
		const [due, dueByDate] = [performance.now() + wait, Date.now() + wait];
		await sleep(wait);
		// A process that stands still is late by both clocks; one that somebody sets is late by one.
		const late = Math.min(performance.now() - due, Date.now() - dueByDate);
		if (late > LATE) await this.catchUp(late);
	}

	/** Lets the reader have what arrived meanwhile. After a long standstill, silence begins anew (AdguardForWindows#2438, got#117). */
	private async catchUp(late: number): Promise<void> {
		this.standstill += late;
		this.lastByte = Math.min(this.lastByte, this.awake);
		const end = performance.now() + MAX_CATCH_UP;
		for (let quiet = 0; quiet < QUIET_TURNS && !this.signal.aborted && performance.now() < end; quiet++) {
			const { lastByte } = this;
			await sleep(TURN);
			if (this.lastByte !== lastByte) quiet = -1;
		}
		if (late > this.limits.idle / LONG_PART) this.touch();
	}
}

/** Aborts when one of both does. `AbortSignal.any` can be collected before it fires on Node 20. */
function eitherOf(one: AbortSignal, other: unknown): AbortSignal {
	if (!(other instanceof AbortSignal)) return one;
	const either = new AbortController();
	for (const signal of [one, other]) {
		if (signal.aborted) either.abort();
		else signal.addEventListener('abort', () => either.abort());
	}
	return either.signal;
}

/** For the request of a token, which n8n makes with these helpers. */
const watchedHelpers = ({ helpers }: IExecuteFunctions, signal: AbortSignal): IExecuteFunctions['helpers'] =>
	Object.create(helpers, {
		httpRequest: {
			value: async (options: IHttpRequestOptions): Promise<unknown> =>
				await helpers.httpRequest({ ...options, abortSignal: eitherOf(signal, options.abortSignal) }),
		},
	}) as IExecuteFunctions['helpers'];

/**
 * A context whose requests a watchdog can close (n8n replaces a signal in the options by that of its context), with the credential of
 * one item (n8n would read that of the first).
 */
export const watchedBy = (
	{ signal }: Watchdog,
	context: IExecuteFunctions,
	getCredentials: () => Promise<ICredentialDataDecryptedObject>,
): IExecuteFunctions =>
	Object.create(context, {
		getCredentials: { value: getCredentials },
		getExecutionCancelSignal: { value: () => signal },
		helpers: { value: watchedHelpers(context, signal) },
	}) as IExecuteFunctions;
