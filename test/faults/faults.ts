/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { events } from '../engine/serve-stream';
import type { Fault, Line } from './fault-server';

export const THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';

type Given = Fault | 'refused';

/** What a run must end as, `completed` or the status of its error, and what of it must have been kept at least. */
type Ending = [status: string, kept: 'thread and text' | 'thread' | 'nothing'];

/** One way in which a service, or what stands between it and n8n, can fail. */
export interface FaultCase {
	name: string;
	/** The response to the start of a run, and how it must end; undefined if the fault cannot meet a run. */
	run?: Given;
	status?: string;
	kept?: Ending[1];
	/** The response to a request of Browser Automation, and whether that must end in an error. */
	answer?: Given;
	fails?: boolean;
	/** Options of Run Automation that let the test be short. */
	options?: INodeParameters;
	/** Whether it keeps the machine busy, so that others are not to be measured at the same time. */
	isHeavy?: boolean;
	/** More bytes than this must not be taken from a server that sends without an end. */
	mostSent?: number;
}

const BEGUN = events(
	{ type: 'start', messageId: 'm' },
	{ type: 'text-start', id: '1' },
	{ type: 'text-delta', id: '1', delta: 'The partial result' },
);
const FINISHED = events({ type: 'text-end', id: '1' }, { type: 'finish', finishReason: 'stop' });
const MORE = events({ type: 'text-delta', id: '1', delta: 'more ' });
const DONE = 'data: [DONE]\n\n';
const WHOLE = BEGUN + FINISHED + DONE;

const STREAM = { 'content-type': 'text/event-stream', 'x-thread-id': THREAD, connection: 'close' };
const JSON_ANSWER = JSON.stringify({ thread_id: THREAD, value: 'An answer', url: 'https://example.com/' });

/** Responds to a start with a stream of these bytes, then ends the connection. */
const stream =
	(body: string | Uint8Array, headers = {}): Fault =>
	async (line) => {
		await line.head('200 OK', { ...STREAM, ...headers });
		await line.send(body);
		line.end();
	};

/** Begins a stream with some text, and continues as `then` says. */
const begun =
	(then: (line: Line) => Promise<void> | void): Fault =>
	async (line) => {
		await line.head('200 OK', STREAM);
		await line.send(BEGUN);
		await then(line);
	};

/** A whole response that is not a stream. */
const answer =
	(status: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}): Fault =>
	async (line) => {
		const length = String(Buffer.byteLength(body));
		await line.head(status, { 'content-type': type, 'content-length': length, connection: 'close', ...headers });
		await line.send(body);
		line.end();
	};

const json = (status: string, body: string | Uint8Array, headers = {}) =>
	answer(status, 'application/json', body, headers);

const endless = async (line: Line, piece: string) => {
	while (await line.send(piece));
};

const page = '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in</body></html>';
const webPage = (headers = {}) => answer('200 OK', 'text/html', page, headers);
const plainStream = stream(WHOLE, { 'content-type': 'text/plain' });
const plainAnswer = answer('200 OK', 'text/plain', JSON_ANSWER);
const error = (message: string) => JSON.stringify({ error: { code: 'refused', message } });
const reset: Fault = async (line) => await line.reset();
const late =
	(then: Fault): Fault =>
	async (line, head) => {
		await sleep(700);
		await then(line, head);
	};
const mute: Fault = async () => {};
const silence = begun(() => {});
/** Announces more than it sends. */
const short =
	(headers: Record<string, string>, body: string): Fault =>
	async (line) => {
		await line.head('200 OK', { 'content-type': 'application/json', 'content-length': '5000', ...headers });
		await line.send(body);
		await sleep(50);
		line.end();
	};
const noHttp: Fault = async (line) => {
	await line.send('SSH-2.0-OpenSSH_9.7\r\n\r\n');
	line.end();
};
const huge = { 'x-padding': 'x'.repeat(100_000) };
const gzip = { 'content-encoding': 'gzip' };
const packed = (body: string) => [brotliCompressSync(body), { 'content-encoding': 'br' }] as const;
const INVALID = Buffer.from([0xff, 0xc3, 0x28]);
const redirect = (status: string) => answer(status, 'text/plain', '', { location: 'OTHER' });
const tooMany = json('429 Too Many Requests', error('Slow down'), { 'retry-after': '7' });
const overloaded = json('529 Overloaded', error('Overloaded'));

const COMPLETED: Ending = ['completed', 'thread and text'];
const INTERRUPTED: Ending = ['interrupted', 'thread and text'];
const TIMED_OUT: Ending = ['timed_out', 'thread and text'];
const NO_RESPONSE: Ending = ['interrupted', 'nothing'];
const REFUSED: Ending = ['no run', 'nothing'];
const NO_STREAM: Ending = ['interrupted', 'thread'];

/** A fault of a run. */
const ofRun = (name: string, run: Given, [status, kept]: Ending, more: Partial<FaultCase> = {}): FaultCase => ({
	...{ name, run, status, kept },
	...more,
});

/** A fault of a run and of every other request: what the request gets, and whether that is an error. */
const ofBoth = (name: string, run: Given, ending: Ending, given: Given, effect: 'fails' | 'works'): FaultCase =>
	ofRun(name, run, ending, { answer: given, fails: effect === 'fails' });

const IMPATIENT = { options: { idleTimeout: 2 } };

/** What may not be read to its end: the limit is 1 MB. */
const LIMITED = { options: { maxResponseSize: 1 }, isHeavy: true };
const ENDLESS = { ...LIMITED, mostSent: 16e6 };

const resetInChunk: Fault = async (line) => {
	await line.head('200 OK', { ...STREAM, 'transfer-encoding': 'chunked' });
	await line.send(`${BEGUN.length.toString(16)}\r\n${BEGUN}\r\n400\r\ndata: {"type":"text-del`);
	await line.reset();
};
const cutAfterFinish = begun(async (line) => {
	await line.send(FINISHED);
	await line.reset();
});
const trickle: Fault = async (line) => {
	await line.head('200 OK', STREAM);
	for (const byte of Buffer.from(WHOLE)) {
		await line.send(Buffer.from([byte]));
		await sleep(0);
	}
	line.end();
};
const trickleOfComments = begun(async (line) => {
	while (await line.send(': keep-alive\n\n')) await sleep(20);
});
const bomb = stream(gzipSync(`${BEGUN}data: {"type":"x","y":"${'0'.repeat(1e8)}"}\n\n`), gzip);
const hugeLine = begun(async (line) => {
	await line.send('data: "');
	await endless(line, 'x'.repeat(65_536));
});
const endlessStream = begun(async (line) => await endless(line, MORE.repeat(1000)));
const endlessAnswer: Fault = async (line) => {
	await line.head('500 Internal Server Error', { 'content-type': 'text/plain', 'x-thread-id': THREAD });
	await endless(line, 'x'.repeat(65_536));
};
const hugeBody = json('200 OK', JSON.stringify({ value: 'x'.repeat(2e7) }));
/** Bytes that are not UTF-8 in the place of some text. */
const [beforeDelta, afterDelta] = events({ type: 'text-delta', id: '1', delta: 'INVALID' }).split('INVALID');
const around = (before: string, after: string) => Buffer.concat([Buffer.from(before), INVALID, Buffer.from(after)]);
const invalidStream = stream(around(BEGUN + beforeDelta, afterDelta + FINISHED + DONE));
const invalidAnswer = json('200 OK', around('{"value":"', '"}'));
const nulStream = stream(`${BEGUN}\u0000\n\ndata: \u0000\n\n${FINISHED}${DONE}`);
const nulAnswer = json('200 OK', `\u0000${JSON_ANSWER}`);

/** The faults of docs/reliability.md, in its order. */
export const faults: FaultCase[] = [
	ofBoth('Connection refused', 'refused', REFUSED, 'refused', 'fails'),
	ofBoth('Reset before the headers', reset, NO_RESPONSE, reset, 'fails'),
	ofRun('Reset in the middle of a chunk', resetInChunk, INTERRUPTED),
	ofBoth('Response that is not HTTP', noHttp, NO_RESPONSE, noHttp, 'fails'),
	ofBoth('Slow headers (0.7 s)', late(stream(WHOLE)), COMPLETED, late(json('200 OK', JSON_ANSWER)), 'works'),
	ofRun('No headers', mute, ['timed_out', 'nothing'], IMPATIENT),
	ofRun('Silence after some text', silence, TIMED_OUT, IMPATIENT),
	ofRun('Trickle, byte by byte', trickle, COMPLETED),
	ofRun('Trickle of comments, without an end', trickleOfComments, TIMED_OUT, { options: { totalTimeout: 2.5 } }),
	ofRun('Cut before `finish`', stream(BEGUN), INTERRUPTED),
	ofRun('Cut after `finish`', cutAfterFinish, COMPLETED),
	ofBoth('Body shorter than announced', short(STREAM, BEGUN), INTERRUPTED, short({}, '{"value":'), 'fails'),
	ofRun('Wrong content type: JSON', json('200 OK', '{"status":"ok"}', { 'x-thread-id': THREAD }), NO_STREAM),
	ofBoth('Wrong content type: web page', webPage({ 'x-thread-id': THREAD }), NO_STREAM, webPage(), 'fails'),
	ofBoth('Wrong content type: plain text around a good body', plainStream, COMPLETED, plainAnswer, 'works'),
	ofRun('Web page in the middle of a stream', stream(`${BEGUN}${page}\n\n${FINISHED}${DONE}`), COMPLETED),
	ofBoth('gzip', stream(gzipSync(WHOLE), gzip), COMPLETED, json('200 OK', gzipSync(JSON_ANSWER), gzip), 'works'),
	ofBoth('brotli', stream(...packed(WHOLE)), COMPLETED, json('200 OK', ...packed(JSON_ANSWER)), 'works'),
	ofBoth('gzip announced, plain text sent', stream(WHOLE, gzip), NO_STREAM, json('200 OK', JSON_ANSWER, gzip), 'fails'),
	ofRun('gzip bomb (100 MB in 100 kB)', bomb, INTERRUPTED, LIMITED),
	...['302 Found', '307 Temporary Redirect'].map((status) => {
		const name = `Redirect to another host (${status.slice(0, 3)})`;
		return ofBoth(name, redirect(status), NO_RESPONSE, redirect(status), 'fails');
	}),
	ofBoth('Huge headers (100 kB)', stream(WHOLE, huge), NO_RESPONSE, json('200 OK', JSON_ANSWER, huge), 'fails'),
	ofRun('Huge line', hugeLine, INTERRUPTED, ENDLESS),
	ofRun('Endless stream', endlessStream, INTERRUPTED, ENDLESS),
	ofRun('Endless response that is not a stream', endlessAnswer, NO_STREAM, { ...ENDLESS, options: {} }),
	{ name: 'Huge body (20 MB)', answer: hugeBody, fails: false, isHeavy: true },
	ofBoth('`429`', tooMany, REFUSED, tooMany, 'fails'),
	ofBoth('`529`', overloaded, REFUSED, overloaded, 'fails'),
	ofBoth('Invalid UTF-8', invalidStream, COMPLETED, invalidAnswer, 'works'),
	ofBoth('NUL bytes', nulStream, COMPLETED, nulAnswer, 'works'),
	ofBoth('Byte-order mark', stream(`\uFEFF${WHOLE}`), COMPLETED, json('200 OK', `\uFEFF${JSON_ANSWER}`), 'works'),
];
