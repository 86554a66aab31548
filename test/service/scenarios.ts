import { cannedRun } from './agent/canned';
import { events, hugeRun, textRun } from './streams';
import type { ServiceState } from './state';
import type { Wire } from './wire';

/** What a scenario knows of the run it plays. */
export interface Run {
	threadId: string;
	/** The queries of the thread, this one last. */
	queries: string[];
	/** Where the shop is. */
	shopUrl: string;
	state: ServiceState;
	/** The words of the query after the scenario's name; the whole query for the default scenario. */
	rest: string;
	/** Text for the answer: the task, and for a follow-up also the query before it. */
	summary: string;
	body: Record<string, unknown>;
	headers: NodeJS.Dict<string | string[]>;
}

type Play = (run: Run, wire: Wire) => void | Promise<void>;

/** A way the service can behave, chosen by the first word of the query. */
export interface Scenario {
	description: string;
	play: Play;
	/** How a detached start is answered: `same` as a streamed one, or in a way of its own; else 202. */
	detached?: 'same' | Play;
}

type Events = AsyncIterable<string>;

/** Sends events until there are no more or the client is gone. */
async function pour(source: Events, wire: Wire): Promise<void> {
	for await (const event of source) {
		if (wire.signal.aborted) return;
		await wire.send(event);
	}
}

/** Opens the stream, sends events, then leaves it to `after` what becomes of the connection; by itself it ends. */
export const streamed = (
	description: string,
	make: (run: Run, wire: Wire) => Events,
	after: (wire: Wire) => void | Promise<void> = (wire) => wire.end(),
	headers?: Record<string, undefined>,
): Scenario => ({
	description,
	play: async (run, wire) => {
		wire.open(headers);
		await pour(make(run, wire), wire);
		await after(wire);
	},
});

const quick = (run: Run) => events(textRun(run.summary));

/** The events of a text that has begun but not ended: no text-end, finish or [DONE]. */
const begun = (run: Run) => without(/"type":"(text-end|finish-step|finish)"|\[DONE\]/, events(textRun(run.summary)));

async function* without(pattern: RegExp, source: Events): AsyncGenerator<string> {
	for await (const event of source) if (!pattern.test(event)) yield event;
}

async function* mapped(source: Events, change: (event: string) => string) {
	for await (const event of source) yield change(event);
}

/** A plain answer instead of a stream. */
const answer = (description: string, play: Play): Scenario => ({ description, play, detached: 'same' });

const page = (title: string, text: string) =>
	`<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>\n`;

const NOISE = [
	': a comment\n\n',
	'event: ping\nid: 7\nretry: 100\n\n',
	'data:\n\n',
	'data: {not json\n\n',
	'data: 42\n\n',
	'data: null\n\n',
	'no field at all\n\n',
	'data: {"type":"hologram-start","id":"h1","depth":3}\n\n',
	'data: {"type":"text-delta","id":"orphan","delta":"lost"}\n\n',
	'data: {"type":"tool-output-available","toolCallId":"nobody","output":1}\n\n',
	'data: {"no":"type"}\n\n',
];

async function* noisy(source: Events): AsyncGenerator<string> {
	let index = 0;
	for await (const event of source) {
		yield NOISE[index++ % NOISE.length];
		yield event;
	}
}

async function* nothing() {}

async function* keepAlives(wire: Wire): AsyncGenerator<string> {
	for (; !wire.signal.aborted; await wire.sleep(100)) yield ': keep-alive\n\n';
}

async function* slow(run: Run, wire: Wire): AsyncGenerator<string> {
	const count = Math.round((Number(run.rest) || 5) * 5);
	const text = Array.from({ length: count }, (_, index) => `tick-${index + 1}`).join(' ');
	for await (const event of events(textRun(text))) {
		if (event.includes('"text-delta"')) await wire.sleep(200);
		yield event;
	}
}

/** The scenario that a query names with its first word. */
export function scenarioNamedBy(query: string): string | undefined {
	const [first] = query.trim().split(/\s/);
	return Object.hasOwn(scenarios, first) ? first : undefined;
}

/** The scenarios of `start_automation_run` by the first word of the query. */
export const scenarios: Record<string, Scenario> = {
	demo: streamed('default: a run of three steps with reasoning, tools, data, sources, a file', (run, wire) =>
		events(cannedRun(run.rest, run.summary, wire.signal)),
	),
	quick: streamed('one text, no delays', quick),
	echo: streamed('the text is the JSON of the request body', (run) => events(textRun(JSON.stringify(run.body)))),
	report: streamed('the text holds a JSON object in a ```json fence', (run) =>
		events(
			textRun(
				`Here is the report.\n\n\`\`\`json\n${JSON.stringify({ task: run.rest, items: [{ name: 'Lamp', price: 12.5 }] }, null, 2)}\n\`\`\`\n`,
			),
		),
	),
	failed: streamed('some text, an error chunk, then finish', (run) =>
		events(
			textRun(run.summary, (writer) => {
				writer.write({ type: 'error', errorText: 'The site blocked the agent' });
				writer.write({ type: 'finish', finishReason: 'error' });
			}),
		),
	),
	aborted: streamed('some text, then an abort chunk with a reason', (run) =>
		events(textRun(run.summary, (writer) => writer.write({ type: 'abort', reason: 'Stopped by the operator' }))),
	),
	incomplete: streamed('some text, then finish at the length limit of the model', (run) =>
		events(textRun(run.summary, (writer) => writer.write({ type: 'finish', finishReason: 'length' }))),
	),
	approval: streamed('some text, then a payment that waits for an approval', (run) =>
		events(
			textRun(run.summary, (writer) => {
				const toolCallId = 'call-pay';
				writer.write({ type: 'tool-input-available', toolCallId, toolName: 'payInvoice', input: { amount: 5 } });
				writer.write({ type: 'tool-approval-request', approvalId: 'approval-1', toolCallId });
				writer.write({ type: 'finish', finishReason: 'tool-calls' });
			}),
		),
	),
	garbage: streamed('unknown chunks, malformed lines, orphan deltas in a good run', (run) =>
		noisy(events(textRun(run.summary))),
	),
	lines: streamed('no blank lines between the data lines', (run) =>
		mapped(events(textRun(run.summary)), (event) => event.replace('\n\n', '\n')),
	),
	slow: streamed('`slow N`: N seconds (5), one small chunk per 200 ms', slow),
	huge: streamed('`huge N`: N text deltas (20000), as fast as they are read', (run) =>
		events(hugeRun(Number(run.rest) || 20_000)),
	),
	cut: streamed('some text, then the socket is destroyed', begun, (wire) => wire.cut()),
	ended: streamed('some text, then the body ends without finish or [DONE]', begun, (wire) => wire.end()),
	hang: streamed('some text, then silence', begun, (wire) => wire.silence()),
	silent: streamed('headers, then nothing, ever', nothing, (wire) => wire.silence()),
	mute: answer('not even headers, ever', async (_run, wire) => await wire.silence()),
	trickle: streamed('only ": keep-alive" comments every 100 ms, never ends', (_run, wire) => keepAlives(wire)),
	open: streamed('a complete run with [DONE], but the socket stays open', quick, async (wire) => {
		wire.complete();
		await wire.silence();
	}),
	headless: {
		...streamed('a good run without the x-thread-id header', quick, undefined, { 'x-thread-id': undefined }),
		detached: (_run, wire) => wire.detached({}, { 'x-thread-id': undefined }),
	},
	noid: {
		...streamed('detached: the 202 body lacks thread_id, the header has it; else as `quick`', quick),
		detached: (_run, wire) => wire.detached({ thread_id: undefined }),
	},
	json: answer('200 with JSON instead of a stream', (_run, wire) =>
		wire.json(200, { status: 'ok', note: 'not a stream' }),
	),
	page: answer('200 with an HTML page', (_run, wire) =>
		wire.answer(200, 'text/html; charset=utf-8', page('Welcome', 'Please sign in.')),
	),
	html: answer('502 with the HTML page of a proxy', (_run, wire) =>
		wire.answer(502, 'text/html', page('Bad gateway', 'nginx')),
	),
	empty500: answer('500 with an empty body', (_run, wire) => wire.answer(500)),
	status: answer('`status N`: that status with a JSON error; 429 with Retry-After', (run, wire) => {
		const status = Number(run.rest) || 500;
		const message = status === 529 ? 'Overloaded' : `Status ${status} as asked`;
		const code = status === 529 ? 'overloaded_error' : `status_${status}`;
		const headers = status === 429 ? { 'retry-after': '7' } : {};
		wire.json(status, { error: { code, message } }, headers);
	}),
	message: answer('400 with {message, detail}', (_run, wire) =>
		wire.json(400, { message: 'The task was refused', detail: 'The site is on the block list' }),
	),
	redirect: answer('`redirect URL`: 307 to that URL', (run, wire) =>
		wire.answer(307, undefined, '', { location: run.rest }),
	),
	reset: answer('the socket is destroyed before any header', async (_run, wire) => await wire.cut()),
};
