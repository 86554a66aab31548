import { agentRun, events, hugeRun, textRun, uiStream } from './streams';
import type { Wire } from './wire';

/** What a scenario knows of the run it plays. */
export interface Run {
	threadId: string;
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

/** A run that is played to its end. */
const whole = (description: string, make: (run: Run, wire: Wire) => Events): Scenario => ({
	description,
	play: async (run, wire) => {
		wire.open();
		await pour(make(run, wire), wire);
		wire.end();
	},
});

/** The events of a text that has begun but not ended: no text-end, finish or [DONE]. */
const begun = (run: Run) => without(/"type":"(text-end|finish-step|finish)"|\[DONE\]/, events(textRun(run.summary)));

async function* without(pattern: RegExp, source: Events): AsyncGenerator<string> {
	for await (const event of source) if (!pattern.test(event)) yield event;
}

async function* mapped(source: Events, change: (event: string) => string) {
	for await (const event of source) yield change(event);
}

/** Opens the stream, sends a part of a run, then leaves it to `after` what becomes of the connection. */
const broken = (description: string, after: (wire: Wire) => void | Promise<void>): Scenario => ({
	description,
	play: async (run, wire) => {
		wire.open();
		await pour(begun(run), wire);
		await after(wire);
	},
});

/** A plain answer instead of a stream. */
const answer = (description: string, play: Play): Scenario => ({
	description,
	play,
	detached: 'same',
});

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

async function* slow(run: Run, wire: Wire): AsyncGenerator<string> {
	const count = Math.round((Number(run.rest) || 5) * 5);
	const text = Array.from({ length: count }, (_, index) => `tick-${index + 1}`).join(' ');
	for await (const event of events(textRun(text))) {
		if (event.includes('"text-delta"')) await wire.sleep(200);
		yield event;
	}
}

/** The scenarios of `start_automation_run` by the first word of the query. */
export const scenarios: Record<string, Scenario> = {
	demo: whole('default: a run of three steps with reasoning, tools, data, sources, a file', (run, wire) =>
		events(agentRun(run.rest, run.summary, wire.signal)),
	),
	quick: whole('one text, no delays', (run) => events(textRun(run.summary))),
	echo: whole('the text is the JSON of the request body', (run) => events(textRun(JSON.stringify(run.body)))),
	report: whole('the text holds a JSON object in a ```json fence', (run) =>
		events(
			textRun(
				`Here is the report.\n\n\`\`\`json\n${JSON.stringify({ task: run.rest, items: [{ name: 'Lamp', price: 12.5 }] }, null, 2)}\n\`\`\`\n`,
			),
		),
	),
	failed: whole('some text, an error chunk, then finish', (run) =>
		events(
			textRun(run.summary, (writer) => {
				writer.write({ type: 'error', errorText: 'The site blocked the agent' });
				writer.write({ type: 'finish', finishReason: 'error' });
			}),
		),
	),
	secretive: whole('an error chunk whose text repeats the Authorization header', (run) =>
		events(
			uiStream(() => {
				throw new Error(`Upstream refused "Authorization: ${String(run.headers.authorization)}"`);
			}),
		),
	),
	aborted: whole('some text, then an abort chunk with a reason', (run) =>
		events(textRun(run.summary, (writer) => writer.write({ type: 'abort', reason: 'Stopped by the operator' }))),
	),
	incomplete: whole('some text, then finish at the length limit of the model', (run) =>
		events(textRun(run.summary, (writer) => writer.write({ type: 'finish', finishReason: 'length' }))),
	),
	approval: whole('some text, then a payment that waits for an approval', (run) =>
		events(
			textRun(run.summary, (writer) => {
				const toolCallId = 'call-pay';
				writer.write({ type: 'tool-input-available', toolCallId, toolName: 'payInvoice', input: { amount: 5 } });
				writer.write({ type: 'tool-approval-request', approvalId: 'approval-1', toolCallId });
				writer.write({ type: 'finish', finishReason: 'tool-calls' });
			}),
		),
	),
	nofinish: whole('a complete text, [DONE], but no finish', (run) =>
		without(/"type":"finish"/, events(textRun(run.summary))),
	),
	garbage: whole('unknown chunks, malformed lines, orphan deltas in a good run', (run) =>
		noisy(events(textRun(run.summary))),
	),
	lines: whole('no blank lines between the data lines', (run) =>
		mapped(events(textRun(run.summary)), (event) => event.replace('\n\n', '\n')),
	),
	slow: whole('`slow N`: N seconds (5), one small chunk per 200 ms', slow),
	huge: whole('`huge N`: N text deltas (20000), as fast as they are read', (run) =>
		events(hugeRun(Number(run.rest) || 20_000)),
	),
	cut: broken('some text, then the socket is destroyed', (wire) => wire.cut()),
	ended: broken('some text, then the body ends without finish or [DONE]', (wire) => wire.end()),
	hang: broken('some text, then silence', (wire) => wire.silence()),
	silent: {
		description: 'headers, then nothing, ever',
		play: async (_run, wire) => {
			wire.open();
			await wire.silence();
		},
	},
	mute: answer('not even headers, ever', async (_run, wire) => await wire.silence()),
	trickle: {
		description: 'only ": keep-alive" comments every 100 ms, never ends',
		play: async (_run, wire) => {
			wire.open();
			while (!wire.signal.aborted) {
				await wire.send(': keep-alive\n\n');
				await wire.sleep(100);
			}
		},
	},
	open: {
		description: 'a complete run with [DONE], but the socket stays open',
		play: async (run, wire) => {
			wire.open();
			await pour(events(textRun(run.summary)), wire);
			wire.complete();
			await wire.silence();
		},
	},
	headless: {
		description: 'a good run without the x-thread-id header',
		play: async (run, wire) => {
			wire.open({ 'x-thread-id': undefined });
			await pour(events(textRun(run.summary)), wire);
			wire.end();
		},
		detached: (_run, wire) => wire.detached({}, { 'x-thread-id': undefined }),
	},
	noid: {
		...whole('detached: the 202 body lacks thread_id, the header has it; else as `quick`', (run) =>
			events(textRun(run.summary)),
		),
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
