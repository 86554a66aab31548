// Limits a request: its time, also at *Stop*, and the bytes of its body. Only a run's stream is read elsewhere.

import { sleep } from 'n8n-workflow';

import type { Problem } from '../failure/failure';
import { QUOTED_LIMITS } from '../failure/limits';
import { isPage } from '../failure/response/reason';
import type { Execution } from '../n8n/execution';
import { parseJson } from '../values/json';
import { counted } from '../values/text';

/** `sleep` cannot be cancelled: after `close()`, one timer stays pending for up to this long. */
const TICK_MS = 1000;

/** If a timer is later than this, the process has received nothing meanwhile. */
const LATE_MS = 100;

/** After a standstill, n8n's client needs some turns of the event loop to hand over kept data. */
const TURNS_MS = 200;

/** Milliseconds of silence, and in total; Infinity means no limit. */
export interface Limits {
	idle: number;
	total: number;
}

/** Every request ends before the workflow's time limit, at which n8n drops all results, and at *Stop*. */
export type Ends = Partial<Pick<Execution, 'endsAt' | 'stop'>>;

export type Body = AsyncIterable<Uint8Array>;

/** A body that is closed early raises an error that nothing else would handle. */
export function bodyOf(stream: unknown): Body {
	const body = stream as Body & { on?(event: 'error', listener: () => void): void };
	body.on?.('error', () => {});
	return body;
}

export const WORKFLOW_LIMIT = "The workflow is about to reach its time limit ('Timeout Workflow' in its settings)";

export const RAISE_LIMIT = "Raise 'Timeout After' in the workflow settings, or send fewer items to this node";

const STOPPED = 'The execution was stopped before the service responded';

const seconds = (milliseconds: number) => counted(milliseconds / 1000, 'second');

/** A run, a file in a sentence about it, or any other response. The form has the limits of the first two. */
type Kind = 'run' | 'file' | 'response';

/** What is said of a request that this node has ended: at a limit, or at *Stop*. */
function reasonsOf({ idle, total }: Limits) {
	const both = { workflow: WORKFLOW_LIMIT, stop: STOPPED };
	const file = {
		idle: `no data was received within ${QUOTED_LIMITS.idle}`,
		total: `it took longer than ${QUOTED_LIMITS.total}`,
		workflow: 'the workflow was about to reach its time limit',
		stop: 'the execution was stopped',
	};
	const silence = `The service sent no data for ${seconds(idle)}`;
	const tooLong = `The run took longer than ${seconds(total)} (${QUOTED_LIMITS.total})`;
	return {
		run: { idle: `${silence} (${QUOTED_LIMITS.idle})`, total: tooLong, ...both },
		file,
		response: { idle: silence, total: "The service's response took too long", ...both },
	};
}

/** One timer serves any number of chunks. */
export class Watchdog {
	expired: 'idle' | 'total' | 'workflow' | undefined;
	readonly signal: AbortSignal;
	private readonly controller = new AbortController();
	private readonly started = performance.now();
	private lastByte = this.started;
	private readonly limits: Limits;

	constructor(
		limits: Limits,
		private readonly ends: Ends = {},
	) {
		this.limits = { ...limits };
		const { stop } = ends;
		this.signal = AbortSignal.any([this.controller.signal, ...(stop ? [stop] : [])]);
		void this.watch();
	}

	get isStopped(): boolean {
		return this.ends.stop?.aborted === true;
	}

	/** Why a run has ended at a limit. */
	get expiredReason(): string | undefined {
		return this.expired && this.endReason('run');
	}

	/** Undefined if this node has not ended the request. What n8n's client says otherwise means nothing. */
	endReason(kind: Kind): string | undefined {
		const end = this.expired ?? (this.isStopped ? 'stop' : undefined);
		return end && reasonsOf(this.limits)[kind][end];
	}

	touch(): void {
		this.lastByte = performance.now();
	}

	/** Sets how long a silence may be. */
	limitSilence(milliseconds: number): void {
		this.limits.idle = milliseconds;
	}

	/** Sets a limit from now on, unless an earlier one exists. */
	endWithin(milliseconds: number): void {
		this.limits.total = Math.min(this.limits.total, performance.now() - this.started + milliseconds);
	}

	close(): void {
		this.controller.abort();
	}

	private async watch(): Promise<void> {
		while (!this.signal.aborted) {
			// `endWithin` may change the limits meanwhile.
			const { idle, total } = this.limits;
			const { endsAt: workflow = Infinity } = this.ends;
			const now = performance.now();
			const left = {
				workflow: workflow - now,
				total: total - (now - this.started),
				idle: idle - (now - this.lastByte),
			};
			this.expired = (Object.keys(left) as Array<keyof typeof left>).find((limit) => left[limit] <= 0);
			if (this.expired) return this.close();
			await this.pause(Math.min(...Object.values(left), TICK_MS));
		}
	}

	/** A standstill of the process is no silence of the service (AdguardForWindows#2438, got#117). */
	private async pause(wait: number): Promise<void> {
		const [due, dueByDate] = [performance.now() + wait, Date.now() + wait];
		await sleep(wait);
		if (this.signal.aborted) return;
		// A standstill makes both clocks late, setting the clock only one.
		if (Math.min(performance.now() - due, Date.now() - dueByDate) < LATE_MS) return;
		await sleep(TURNS_MS);
		this.touch();
	}
}

export const TRY_LATER = "Try again later. If it happens again, check 'Base URL' in the credential";

/** Why this node itself has ended a request, if it has. */
export function whyEnded(watchdog: Watchdog): Problem | undefined {
	const reason = watchdog.endReason('response');
	if (reason === undefined) return undefined;
	return { reason, advice: watchdog.expired === 'workflow' ? RAISE_LIMIT : TRY_LATER };
}

/** Its message is the reason. */
export class NoFileError extends Error {}

export class TooLargeError extends NoFileError {}

/** Each piece resets the watchdog. */
export class ByteLimit {
	size = 0;

	constructor(
		private readonly maxBytes: number,
		private readonly watchdog: Watchdog,
	) {}

	/** @throws TooLargeError */
	take(piece: Uint8Array): Uint8Array {
		this.watchdog.touch();
		this.size += piece.length;
		if (this.size > this.maxBytes) throw new TooLargeError(`it is larger than ${this.maxBytes / 1e6} MB`);
		return piece;
	}

	/** @throws NoFileError */
	rejectEmpty(sender: string): void {
		if (this.size === 0) throw new NoFileError(`${sender} sent no data`);
	}
}

/** Decompressed bytes of a rejection's reason or a start's response. */
const MAX_SHORT_BODY = 64_000;

/** Milliseconds from the headers of a response to the end of its body. */
const MAX_BODY_TIME = 300_000;

export interface ReadBody {
	/** JSON or text. Of a body that is not whole, only a page is kept: a text could end within a secret. */
	body: unknown;
	/** Why the body is not whole. */
	cut?: Problem;
}

/** Never throws: the headers may name a billed thread. */
export async function readBody(stream: Body, watchdog: Watchdog, maxBytes = MAX_SHORT_BODY): Promise<ReadBody> {
	watchdog.endWithin(MAX_BODY_TIME);
	const pieces: Uint8Array[] = [];
	const limit = new ByteLimit(maxBytes, watchdog);
	let cut: Problem | undefined;
	try {
		for await (const piece of stream) pieces.push(limit.take(piece));
	} catch (error) {
		const tooLarge = { reason: `The response is larger than ${maxBytes / 1e6} MB`, advice: 'Request less data' };
		const ended = { reason: `The service's response ended early: ${(error as Error).message}`, advice: TRY_LATER };
		cut = error instanceof TooLargeError ? tooLarge : (whyEnded(watchdog) ?? ended);
	}
	const text = new TextDecoder().decode(Buffer.concat(pieces));
	if (cut) return { body: isPage(text) ? text : '', cut };
	const json = parseJson(text);
	return { body: json === undefined ? text : json };
}
