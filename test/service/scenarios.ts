import type { UIMessageChunk } from 'ai';
import { cannedRun } from './agent/canned';
import type { ServiceState } from './state';
import { events, textRun } from './streams';
import type { Wire } from './wire';

/** What a scenario knows of the run it plays. */
export interface Run {
	threadId: string;
	/** The queries of the thread, this one last. */
	queries: string[];
	state: ServiceState;
	/** The words of the query after the scenario's name; the whole query for the default scenario. */
	rest: string;
	/** Text for the answer: the task, and for a follow-up also the query before it. */
	summary: string;
	/** Resolves once a test releases the runs that are held. */
	whenReleased: () => Promise<unknown>;
}

type Play = (run: Run, wire: Wire) => void | Promise<void>;

/** A way the service can behave, chosen by the first word of the query. */
export interface Scenario {
	description: string;
	play: Play;
	/** The response to a detached start: the `same` as to a streamed one, or one of its own; else 202. */
	detached?: 'same' | Play;
}

type Events = AsyncIterable<string>;

/** Opens the stream, sends events, then leaves it to `after` what becomes of the connection; by itself it ends. */
export const streamed = (
	description: string,
	make: (run: Run, wire: Wire) => Events,
	after: (wire: Wire) => void | Promise<void> = (wire) => wire.end(),
): Scenario => ({
	description,
	play: async (run, wire) => {
		wire.open();
		for await (const event of make(run, wire)) {
			if (wire.signal.aborted) break;
			await wire.send(event);
		}
		await after(wire);
	},
});

const quick = ({ summary }: Run) => events(textRun(summary));

/** A text, then other chunks than those of a run that completed. */
const ending = (description: string, ...chunks: UIMessageChunk[]) =>
	streamed(description, ({ summary }) => events(textRun(summary, chunks)));

/** A text that has begun but not ended: no text-end, finish or [DONE]. */
async function* begun(run: Run): Events {
	for await (const event of quick(run)) {
		if (event.includes('"text-end"')) return;
		yield event;
	}
}

/** A plain response instead of a stream. */
const plain = (description: string, play: Play): Scenario => ({ description, play, detached: 'same' });

const NOISE = [
	': a comment\n\nevent: ping\nid: 7\nretry: 100\n\ndata:\n\n',
	'data: {not json\n\ndata: 42\n\ndata: null\n\nno field at all\n\n',
	'data: {"type":"hologram-start","id":"h1","depth":3}\n\ndata: {"no":"type"}\n\n',
	'data: {"type":"text-delta","id":"orphan","delta":"lost"}\n\n',
	'data: {"type":"tool-output-available","toolCallId":"nobody","output":1}\n\n',
];

async function* noisy(run: Run): Events {
	let index = 0;
	for await (const event of quick(run)) yield NOISE[index++ % NOISE.length] + event;
}

async function* nothing(): Events {}

async function* keepAlives(_run: Run, wire: Wire): Events {
	for (; !wire.signal.aborted; await wire.sleep(100)) yield ': keep-alive\n\n';
}

const ticks = (count: number) => Array.from({ length: count }, (_, index) => `tick-${index + 1}`).join(' ');

async function* slow({ rest }: Run, wire: Wire): Events {
	for await (const event of events(textRun(ticks(Math.round((Number(rest) || 5) * 5))))) {
		if (event.includes('"text-delta"')) await wire.sleep(200);
		yield event;
	}
}

/** The second half of the ticks waits for a test. */
async function* held({ whenReleased }: Run, wire: Wire): Events {
	for await (const event of events(textRun(ticks(10)))) {
		if (event.includes('"tick-6 "')) await Promise.race([whenReleased(), wire.silence()]);
		yield event;
	}
}

/** A query without what a client adds to it, so that the agent says if something stopped it. */
export const withoutRequest = (query: string): string => query.split('\n\nOnly if something stopped you')[0];

/** The scenario that a query names with its first word. */
export function scenarioNamedBy(query: string): string | undefined {
	const [first] = query.trim().split(/\s/);
	return Object.hasOwn(scenarios, first) ? first : undefined;
}

const toolCallId = 'call-pay';
const BLOCKED: UIMessageChunk = { type: 'error', errorText: 'The site blocked the agent' };

/** The scenarios of `start_automation_run` by the first word of the query. */
export const scenarios: Record<string, Scenario> = {
	demo: streamed('default: a run of three steps with reasoning, tools, data, sources, a file', (run, wire) =>
		events(cannedRun(run.rest, run.summary, wire.signal)),
	),
	quick: streamed('one text, no delays', quick),
	reply: streamed('`reply TEXT`: the first paragraph of TEXT', ({ rest }) => events(textRun(rest.split('\n\n')[0]))),
	failed: ending('some text, an error chunk, then finish', BLOCKED, { type: 'finish', finishReason: 'error' }),
	once: streamed('`once TASK`: an error chunk the first time, then a good run', (run) => {
		const { failedOnce } = run.state;
		if (failedOnce.has(run.rest)) return quick(run);
		failedOnce.add(run.rest);
		return events(textRun(run.summary, [BLOCKED]));
	}),
	aborted: ending('some text, then an abort with a reason', { type: 'abort', reason: 'Stopped by the operator' }),
	incomplete: ending('some text, then finish at the length limit', { type: 'finish', finishReason: 'length' }),
	approval: ending(
		'some text, then a payment that waits for an approval',
		{ type: 'tool-input-available', toolCallId, toolName: 'payInvoice', input: { amount: 5 } },
		{ type: 'tool-approval-request', approvalId: 'approval-1', toolCallId },
		{ type: 'finish', finishReason: 'tool-calls' },
	),
	garbage: streamed('unknown chunks, malformed lines, orphan deltas in a good run', noisy),
	held: streamed('half of a text, then silence until a test releases it', held),
	slow: streamed('`slow N`: N seconds (5), one small chunk per 200 ms', slow),
	cut: streamed('some text, then the socket is destroyed', begun, async (wire) => await wire.cut()),
	hang: streamed('some text, then silence', begun, async (wire) => await wire.silence()),
	silent: streamed('headers, then nothing, ever', nothing, async (wire) => await wire.silence()),
	mute: plain('not even headers, ever', async (_run, wire) => await wire.silence()),
	trickle: streamed('only ": keep-alive" comments every 100 ms, never ends', keepAlives),
	empty500: plain('500 with an empty body', (_run, wire) => wire.json(500)),
	status: plain('`status N`: that status with a JSON error; 429 with Retry-After', ({ rest }, wire) => {
		const status = Number(rest) || 500;
		const message = status === 529 ? 'Overloaded' : `Status ${status} as asked`;
		wire.json(status, { error: { message } }, status === 429 ? { 'retry-after': '7' } : {});
	}),
	message: plain('400 with {message, detail}', (_run, wire) =>
		wire.json(400, { message: 'The task was refused', detail: 'The site is on the block list' }),
	),
};
