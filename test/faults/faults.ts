/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { events } from '../engine/serve-stream';
import { letRead } from '../support/let-read';
import { pass } from './clock';
import type { Fault, Line } from './fault-server';

export const THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';

type Given = Fault | 'refused';

/** One way in which a service, or what stands between it and n8n, can fail. */
export interface FaultCase {
	name: string;
	/** The response to the start of a run; undefined if the fault cannot meet a run. */
	run?: Given;
	/** What the run must end as, `completed` or the status of its error, and what of it must have been kept at least. */
	ending?: [status: string, kept: 'thread and text' | 'thread' | 'nothing'];
	/** The response to a request of Browser Automation, and whether that must end in an error. */
	answer?: Given;
	fails?: boolean;
	/** Requests that must reach the server, if it is not one. */
	requests?: number;
	/** Options of Run Automation that let the test be short. */
	options?: INodeParameters;
	/** More bytes than this must not be taken from a server that sends without an end. */
	mostSent?: number;
}

type Ending = NonNullable<FaultCase['ending']>;

const BEGUN = events(
	{ type: 'start', messageId: 'm' },
	{ type: 'text-start', id: '1' },
	{ type: 'text-delta', id: '1', delta: 'The partial result' },
);
const FINISHED = events({ type: 'text-end', id: '1' }, { type: 'finish', finishReason: 'stop' });
const NOT_DONE = events({ type: 'text-delta', id: '1', delta: '\nTASK NOT DONE: The site asks for a captcha' });
const FAILED = events({ type: 'error', errorText: 'The site blocked the agent' });
const END = `${FINISHED}data: [DONE]\n\n`;
const MORE = events({ type: 'text-delta', id: '1', delta: 'more '.repeat(1000) }).repeat(10);
const WHOLE = BEGUN + END;

const STREAM = { 'content-type': 'text/event-stream', 'x-thread-id': THREAD, connection: 'close' };
const JSON_ANSWER = JSON.stringify({ thread_id: THREAD, value: 'An answer', url: 'https://example.com/' });

type Then = (line: Line) => Promise<unknown> | void;
const end: Then = (line) => line.end();
const reset = async (line: Line) => await line.reset();

/** Begins a stream with these bytes, and continues as said. */
const stream =
	(body: string | Uint8Array, headers = {}, then = end): Fault =>
	async (line) => {
		await line.head('200 OK', { ...STREAM, ...headers });
		await line.send(body);
		await then(line);
	};
const begun = (then: Then, more = '') => stream(BEGUN + more, {}, then);

/** A whole response that is not a stream. */
const answer =
	(status: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}): Fault =>
	async (line) => {
		const length = String(Buffer.byteLength(body));
		await line.head(status, { 'content-type': type, 'content-length': length, connection: 'close', ...headers });
		await line.send(body);
		// What was sent is read, also if more was announced.
		await letRead();
		line.end();
	};

const json = (body: string | Uint8Array, headers = {}) => answer('200 OK', 'application/json', body, headers);
const refusal = (status: string, message: string, headers = {}) =>
	answer(status, 'application/json', JSON.stringify({ error: { code: 'refused', message } }), headers);
/** What a busy service asks for: longer than a node waits. */
const LATER = { 'retry-after': '300' };

/** Refuses the first request for a second, and answers the next. */
function busyOnce(): Fault {
	let isBusy = true;
	return async (line, head) => {
		const refused = refusal('429 Too Many Requests', 'Slow down', { 'retry-after': '1' });
		const given = isBusy ? refused : json(JSON_ANSWER);
		isBusy = false;
		await given(line, head);
	};
}
const redirect = (status: string) => answer(status, 'text/plain', '', { location: 'OTHER' });
const page = '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in</body></html>';
const webPage = answer('200 OK', 'text/html', page, { 'x-thread-id': THREAD });

/** Responses to both kinds of request. */
type Pair = Record<'run' | 'answer', Given>;

/** Good responses whose bodies or headers are changed. */
const good = (headers = {}, change = (body: string): string | Buffer => body): Pair => ({
	run: stream(change(WHOLE), headers),
	answer: json(change(JSON_ANSWER), headers),
});
const invalid = (body: string) => Buffer.from(body.replace(/(result|answer)"/, '$1\xff\xc3("'), 'latin1');
const withNul = (body: string) => body.replace(/^\{/, '\u0000{').replace(END, `\u0000\n\ndata: \u0000\n\n${END}`);

const announced = { 'content-length': '5000' };
const shortOnes = { run: json(BEGUN, { ...STREAM, ...announced }), answer: json('{"value":', announced) };

const endless =
	(piece: string): Then =>
	async (line) => {
		while (await line.send(piece));
	};

/** Seconds of the limits of a node of which one is reached. */
export const IDLE = 60;
const TOTAL = 90;

/** Silence, for longer than a node waits. */
const silence = async () => {
	await letRead();
	pass(IDLE + 1);
};
/** No silence that is longer than a node waits, but too many. */
const keepAlives: Then = async (line) => {
	while (await line.send(': keep-alive\n\n')) {
		await letRead();
		pass(IDLE - 20);
	}
};
const noHttp: Fault = async (line) => {
	await line.send('SSH-2.0-OpenSSH_9.7\r\n\r\n');
	line.end();
};
const chunk = `${BEGUN.length.toString(16)}\r\n${BEGUN}\r\n400\r\ndata: {"type":"text-del`;
const X = 'x'.repeat(65_536);
const endlessAnswer: Fault = async (line) => {
	await line.head('500 Internal Server Error', { 'content-type': 'text/plain', 'x-thread-id': THREAD });
	await endless(X)(line);
};

const COMPLETED: Ending = ['completed', 'thread and text'];
const INTERRUPTED: Ending = ['interrupted', 'thread and text'];
const TIMED_OUT: Ending = ['timed_out', 'thread and text'];
const NO_RESPONSE: Ending = ['interrupted', 'nothing'];
const REFUSED: Ending = ['no run', 'nothing'];
const INCOMPLETE: Ending = ['incomplete', 'thread and text'];
const DECLINED: Ending = ['not_done', 'thread and text'];
const NO_STREAM: Ending = ['interrupted', 'thread'];

const ofRun = (name: string, run: Given, ending: Ending, more: Partial<FaultCase> = {}): FaultCase => ({
	name,
	run,
	ending,
	...more,
});

/** A fault of a run and of every other request, and whether that is an error of the latter. */
const ofBoth = (name: string, given: Given | Pair, ending: Ending, effect: 'fails' | 'works'): FaultCase => {
	const pair = typeof given === 'object' ? given : { run: given, answer: given };
	return { name, ...pair, ending, fails: effect === 'fails' };
};

/** Nodes that wait for what passes at once. */
const IMPATIENT = { options: { idleTimeout: IDLE, totalTimeout: TOTAL } };
const plain = { 'content-type': 'text/plain' };
const gzip = { 'content-encoding': 'gzip' };
const bomb = gzipSync(`${BEGUN}data: {"type":"x","y":"${'0'.repeat(1e8)}"}\n\n`);
const hugeBody = json(JSON.stringify({ value: 'x'.repeat(2e7) }));

/** What may not be read to its end: the limit is 64 MB, and the network holds some more. */
const ENDLESS = { mostSent: 100e6 };

/** Every fault of a service or of what stands between it and n8n. */
export const faults: FaultCase[] = [
	ofBoth('Connection refused', 'refused', REFUSED, 'fails'),
	ofBoth('Reset before the headers', reset, NO_RESPONSE, 'fails'),
	ofRun('Reset in the middle of a chunk', stream(chunk, { 'transfer-encoding': 'chunked' }, reset), INTERRUPTED),
	ofBoth('Response that is not HTTP', noHttp, NO_RESPONSE, 'fails'),
	ofRun('No headers', silence, ['timed_out', 'nothing'], IMPATIENT),
	ofRun('Silence after some text', begun(silence), TIMED_OUT, IMPATIENT),
	ofRun('Trickle of comments, without an end', begun(keepAlives), TIMED_OUT, IMPATIENT),
	ofRun('Cut before `finish`', stream(BEGUN), INTERRUPTED),
	ofRun('Cut after `finish`', begun(reset, FINISHED), COMPLETED),
	ofBoth('Body shorter than announced', shortOnes, INTERRUPTED, 'fails'),
	ofRun('Wrong content type: JSON', json('{"status":"ok"}', { 'x-thread-id': THREAD }), NO_STREAM),
	ofBoth('Wrong content type: web page', webPage, NO_STREAM, 'fails'),
	ofBoth('Wrong content type: plain text around a good body', good(plain), COMPLETED, 'works'),
	ofRun('Web page in the middle of a stream', stream(`${BEGUN}${page}\n\n${END}`), COMPLETED),
	ofBoth('gzip', good(gzip, gzipSync), COMPLETED, 'works'),
	ofBoth('brotli', good({ 'content-encoding': 'br' }, brotliCompressSync), COMPLETED, 'works'),
	ofBoth('gzip announced, plain text sent', good(gzip), NO_STREAM, 'fails'),
	ofRun('gzip bomb (100 MB in 100 kB)', stream(bomb, gzip), INTERRUPTED, ENDLESS),
	ofBoth('Redirect to another host (302)', redirect('302 Found'), NO_RESPONSE, 'fails'),
	ofBoth('Redirect to another host (307)', redirect('307 Temporary Redirect'), NO_RESPONSE, 'fails'),
	ofBoth('Huge headers (100 kB)', good({ 'x-padding': 'x'.repeat(100_000) }), NO_RESPONSE, 'fails'),
	ofRun('Huge line', begun(endless(X), 'data: "'), INTERRUPTED, ENDLESS),
	ofRun('Endless stream', begun(endless(MORE)), INTERRUPTED, ENDLESS),
	ofRun('Endless response that is not a stream', endlessAnswer, NO_STREAM, ENDLESS),
	{ name: 'Huge body (20 MB)', answer: hugeBody, fails: false },
	ofBoth('`429`', refusal('429 Too Many Requests', 'Slow down', LATER), REFUSED, 'fails'),
	{ name: '`429` once, with _Retry-After: 1_', answer: busyOnce(), fails: false, requests: 2 },
	{ name: '`503`', answer: refusal('503 Unavailable', 'Down', LATER), fails: true },
	ofBoth('`529`', refusal('529 Overloaded', 'Overloaded', LATER), REFUSED, 'fails'),
	ofBoth('Invalid UTF-8', good({}, invalid), COMPLETED, 'works'),
	ofRun('Garbled line in the middle of a stream', stream(`${BEGUN}data: x"type":"text-del\n\n${END}`), INCOMPLETE),
	ofRun('Left open after an error', begun(silence, FAILED), ['failed', 'thread and text'], IMPATIENT),
	ofRun('The agent says that it could not do its task', stream(BEGUN + NOT_DONE + END), DECLINED),
	ofBoth('NUL bytes', good({}, withNul), INCOMPLETE, 'works'),
];

export interface FileFault {
	name: string;
	file: Fault;
}

/** Sends a status and some bytes, and continues as said. */
const begin =
	(status: string, bytes: string, then: Then = () => {}): Fault =>
	async (line) =>
		void ((await line.head(status)) && (await line.send(bytes)) && (await then(line)));

/** The faults of a file that a run or a replay links. */
export const fileFaults: FileFault[] = [
	{ name: 'Good', file: answer('200 OK', 'video/mp4', '\0bytes') },
	{ name: '`404`, and the connection is left open', file: begin('404 Not Found', '<Code>NoSuchKey</Code>') },
	{ name: 'Silence in the middle', file: begin('200 OK', '\0', silence) },
	{ name: 'Cut', file: answer('200 OK', 'video/mp4', '\0', announced) },
	{ name: 'Endless', file: begin('200 OK', '\0', endless(X)) },
];

/** A service whose run and whose replay link a file at this address. */
export const serviceWithFile =
	(url: string): Fault =>
	async (line, head) => {
		const linked = events({ type: 'file', mediaType: 'video/mp4', url });
		await (head.startsWith('POST') ? stream(BEGUN + linked + END) : json(JSON.stringify({ mp4_url: url })))(line, head);
	};
