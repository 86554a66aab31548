// Ends a request at a time limit, or when the execution is stopped.

import {
	sleep,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
} from 'n8n-workflow';

import { QUOTED_LIMITS } from '../failure/limits';
import { counted } from '../values/text';

/** The last timer still takes as long after the end. */
const TICK_MS = 1000;

/** If a timer is later than this, the process may have received nothing meanwhile. */
const LATE_MS = 20;

/** A busy process is often late, but rarely by a quarter of the idle limit. */
const LONG_STANDSTILL_PART = 4;

/** After a standstill, n8n's client hands over kept data in turns of the event loop. */
const TURN_MS = 20;
const QUIET_TURNS = 3;
const MAX_CATCH_UP_MS = 2000;

/** Milliseconds of silence, in total, and until the workflow's time limit; Infinity means no limit. */
export interface Limits {
	idle: number;
	total: number;
	workflow?: number;
}

export type Body = AsyncIterable<Uint8Array>;

/** A body that is closed early raises an error that nothing else would handle. */
export function bodyOf(stream: unknown): Body {
	const body = stream as Body & { on?(event: 'error', listener: () => void): void };
	body.on?.('error', () => {});
	return body;
}

export const WORKFLOW_LIMIT = "The workflow is about to reach its time limit ('Timeout Workflow' in its settings)";

const seconds = (milliseconds: number) => counted(milliseconds / 1000, 'second');

/** One timer serves any number of chunks. */
export class Watchdog {
	expired: keyof Limits | undefined;

	/** Called each second while the connection is open. */
	tick?: () => void;

	private readonly controller = new AbortController();

	readonly signal = this.controller.signal;

	private readonly started = performance.now();

	/** Milliseconds in which the process received nothing: stopped, asleep, or blocked by other code. */
	private standstill = 0;

	private lastByte = this.started;

	private readonly abort = () => this.controller.abort();

	private readonly limits: Limits;

	constructor(
		limits: Limits,
		private readonly stop: AbortSignal | undefined,
	) {
		this.limits = { ...limits };
		// Node.js 20 may collect an `AbortSignal.any` before it fires, so aborts are forwarded.
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
			total: `The run took longer than ${seconds(total)} (${QUOTED_LIMITS.total})`,
			idle: `The service sent no data for ${seconds(idle)} (${QUOTED_LIMITS.idle})`,
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

	/** Sets a limit from now on, unless an earlier one exists. */
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
				await this.pause(Math.min(...Object.values(left), TICK_MS));
			}
		}
	}

	private async pause(wait: number): Promise<void> {
		const [due, dueByDate] = [performance.now() + wait, Date.now() + wait];
		await sleep(wait);
		// A standstill makes both clocks late, setting the clock only one.
		const late = Math.min(performance.now() - due, Date.now() - dueByDate);
		if (late > LATE_MS) await this.catchUp(late);
	}

	/** Lets n8n's client hand over its data. A long standstill restarts the silence (AdguardForWindows#2438, got#117). */
	private async catchUp(late: number): Promise<void> {
		this.standstill += late;
		this.lastByte = Math.min(this.lastByte, this.awake);
		const end = performance.now() + MAX_CATCH_UP_MS;
		for (let quiet = 0; quiet < QUIET_TURNS && !this.signal.aborted && performance.now() < end; quiet++) {
			const { lastByte } = this;
			await sleep(TURN_MS);
			if (this.lastByte !== lastByte) quiet = -1;
		}
		if (late > this.limits.idle / LONG_STANDSTILL_PART) this.touch();
	}
}

/** `AbortSignal.any` is unsafe in Node.js 20. */
function eitherOf(one: AbortSignal, other: unknown): AbortSignal {
	if (!(other instanceof AbortSignal)) return one;
	const either = new AbortController();
	for (const signal of [one, other]) {
		if (signal.aborted) either.abort();
		else signal.addEventListener('abort', () => either.abort());
	}
	return either.signal;
}

/** n8n requests tokens with these helpers. */
const watchedHelpers = ({ helpers }: IExecuteFunctions, signal: AbortSignal): IExecuteFunctions['helpers'] =>
	Object.create(helpers, {
		httpRequest: {
			value: async (options: IHttpRequestOptions): Promise<unknown> =>
				await helpers.httpRequest({ ...options, abortSignal: eitherOf(signal, options.abortSignal) }),
		},
	}) as IExecuteFunctions['helpers'];

/** n8n would use the execution's signal and the first item's credential instead of these. */
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
