/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { events } from '../engine/serve-stream';
import type { Fault, Line } from './fault-server';

export const THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';

/** What of a run must have been kept, at least. */
type Kept = 'thread and text' | 'thread' | 'nothing came';

/** One way in which a service, or what stands between it and n8n, can fail. */
export interface FaultCase {
	name: string;
	/** How the start of a run is answered; undefined where nothing listens at all. */
	run?: Fault | 'refused';
	/** What the run must end as: `completed`, or an error with this in its details. */
	status?: string;
	kept?: Kept;
	/** Options of Run Automation that let the test be short. */
	options?: INodeParameters;
	/** How a request of Browser Automation is answered. */
	answer?: Fault | 'refused';
	/** Whether Browser Automation must end in an error. */
	fails?: boolean;
	/** Whether it keeps the machine busy, so that others are not to be measured at the same time. */
	isHeavy?: boolean;
	/** More bytes than this must not be taken from a server that sends without an end. */
	mostSent?: number;
}

const BEGUN = events(
	{ type: 'start', messageId: 'm' },
	{ type: 'text-start', id: '1' },
	{ type: 'text-delta', id: '1', delta: 'What arrived' },
);
const FINISHED = events({ type: 'text-end', id: '1' }, { type: 'finish', finishReason: 'stop' });
const DONE = 'data: [DONE]\n\n';
const WHOLE = BEGUN + FINISHED + DONE;

const STREAM = { 'content-type': 'text/event-stream', 'x-thread-id': THREAD, connection: 'close' };
const JSON_ANSWER = JSON.stringify({ thread_id: THREAD, value: 'An answer', url: 'https://example.com/' });

/** Answers a start with a stream of these bytes, then ends the connection. */
const stream =
	(body: string | Uint8Array, headers = {}): Fault =>
	async (line) => {
		await line.head('200 OK', { ...STREAM, ...headers });
		await line.send(body);
		line.end();
	};

/** Begins a stream with some text, and goes on as `then` says. */
const begun =
	(then: (line: Line) => Promise<void> | void): Fault =>
	async (line) => {
		await line.head('200 OK', STREAM);
		await line.send(BEGUN);
		await then(line);
	};

/** A whole answer that is no stream. */
const answer =
	(status: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}): Fault =>
	async (line) => {
		const length = String(Buffer.byteLength(body));
		await line.head(status, { 'content-type': type, 'content-length': length, connection: 'close', ...headers });
		await line.send(body);
		line.end();
	};

const endless = async (line: Line, piece: string) => {
	while (await line.send(piece));
};

const json = 'application/json';
const page = '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in</body></html>';
const error = (message: string) => JSON.stringify({ error: { code: 'refused', message } });
const reset: Fault = async (line) => await line.reset();
const late: (then: Fault) => Fault = (then) => async (line, head) => {
	await line.sleep(700);
	await then(line, head);
};
const mute: Fault = async () => {};
const hugeHeaders = { 'x-padding': 'x'.repeat(100_000) };
const SMALL = { maxResponseSize: 1 };
const MOST = 16e6;

/** The faults of docs/reliability.md, in its order. */
export const faults: FaultCase[] = [
	{
		name: 'Connection refused',
		run: 'refused',
		status: 'interrupted',
		kept: 'nothing came',
		answer: 'refused',
		fails: true,
	},
	{
		name: 'Reset before the headers',
		run: reset,
		status: 'interrupted',
		kept: 'nothing came',
		answer: reset,
		fails: true,
	},
	{
		name: 'Reset in the middle of a chunk',
		run: async (line) => {
			await line.head('200 OK', { ...STREAM, 'transfer-encoding': 'chunked' });
			await line.send(`${BEGUN.length.toString(16)}\r\n${BEGUN}\r\n400\r\ndata: {"type":"text-del`);
			await line.reset();
		},
		status: 'interrupted',
		kept: 'thread and text',
	},
	{
		name: 'Answer that is no HTTP',
		run: async (line) => {
			await line.send('SSH-2.0-OpenSSH_9.7\r\n\r\n');
			line.end();
		},
		status: 'interrupted',
		kept: 'nothing came',
		answer: async (line) => {
			await line.send('SSH-2.0-OpenSSH_9.7\r\n\r\n');
			line.end();
		},
		fails: true,
	},
	{
		name: 'Slow headers (0.7 s)',
		run: late(stream(WHOLE)),
		status: 'completed',
		kept: 'thread and text',
		answer: late(answer('200 OK', json, JSON_ANSWER)),
		fails: false,
	},
	{ name: 'No headers', run: mute, options: { idleTimeout: 2 }, status: 'timed_out', kept: 'nothing came' },
	{
		name: 'Silence after some text',
		run: begun(() => {}),
		options: { idleTimeout: 2 },
		status: 'timed_out',
		kept: 'thread and text',
	},
	{
		name: 'Trickle, byte by byte',
		run: async (line) => {
			await line.head('200 OK', STREAM);
			for (const byte of Buffer.from(WHOLE)) {
				await line.send(Buffer.from([byte]));
				await line.sleep(0);
			}
			line.end();
		},
		status: 'completed',
		kept: 'thread and text',
	},
	{
		name: 'Trickle of comments, without an end',
		run: begun(async (line) => {
			while (await line.send(': keep-alive\n\n')) await line.sleep(20);
		}),
		options: { totalTimeout: 2.5 },
		status: 'timed_out',
		kept: 'thread and text',
	},
	{ name: 'Cut before `finish`', run: begun((line) => line.end()), status: 'interrupted', kept: 'thread and text' },
	{
		name: 'Cut after `finish`',
		run: async (line) => {
			await line.head('200 OK', STREAM);
			await line.send(BEGUN + FINISHED);
			await line.reset();
		},
		status: 'completed',
		kept: 'thread and text',
	},
	{
		name: 'Body shorter than announced',
		run: async (line) => {
			await line.head('200 OK', { ...STREAM, 'content-length': '5000' });
			await line.send(BEGUN);
			await line.sleep(50);
			line.end();
		},
		status: 'interrupted',
		kept: 'thread and text',
		answer: async (line) => {
			await line.head('200 OK', { 'content-type': json, 'content-length': '5000' });
			await line.send('{"value":');
			await line.sleep(50);
			line.end();
		},
		fails: true,
	},
	{
		name: 'Wrong content type: JSON',
		run: answer('200 OK', json, '{"status":"ok"}', { 'x-thread-id': THREAD }),
		status: 'failed',
		kept: 'thread',
	},
	{
		name: 'Wrong content type: web page',
		run: answer('200 OK', 'text/html', page, { 'x-thread-id': THREAD }),
		status: 'failed',
		kept: 'thread',
		answer: answer('200 OK', 'text/html', page),
		fails: true,
	},
	{
		name: 'Wrong content type: plain text around a good body',
		run: stream(WHOLE, { 'content-type': 'text/plain' }),
		status: 'completed',
		kept: 'thread and text',
		answer: answer('200 OK', 'text/plain', JSON_ANSWER),
		fails: false,
	},
	{
		name: 'Web page in the middle of a stream',
		run: stream(`${BEGUN}${page}\n\n${FINISHED}${DONE}`),
		status: 'completed',
		kept: 'thread and text',
	},
	{
		name: 'gzip',
		run: stream(gzipSync(WHOLE), { 'content-encoding': 'gzip' }),
		status: 'completed',
		kept: 'thread and text',
		answer: answer('200 OK', json, gzipSync(JSON_ANSWER), { 'content-encoding': 'gzip' }),
		fails: false,
	},
	{
		name: 'brotli',
		run: stream(brotliCompressSync(WHOLE), { 'content-encoding': 'br' }),
		status: 'completed',
		kept: 'thread and text',
		answer: answer('200 OK', json, brotliCompressSync(JSON_ANSWER), { 'content-encoding': 'br' }),
		fails: false,
	},
	{
		name: 'gzip that is none',
		run: stream(WHOLE, { 'content-encoding': 'gzip' }),
		status: 'interrupted',
		kept: 'thread',
		answer: answer('200 OK', json, JSON_ANSWER, { 'content-encoding': 'gzip' }),
		fails: true,
	},
	{
		name: 'gzip bomb (100 MB in 100 kB)',
		isHeavy: true,
		run: stream(gzipSync(BEGUN + `data: {"type":"x","y":"${'0'.repeat(1e8)}"}\n\n`), { 'content-encoding': 'gzip' }),
		options: SMALL,
		status: 'interrupted',
		kept: 'thread and text',
	},
	{
		name: 'Redirect to another host (302)',
		run: answer('302 Found', 'text/plain', '', { location: 'OTHER' }),
		status: 'failed',
		kept: 'nothing came',
		answer: answer('302 Found', 'text/plain', '', { location: 'OTHER' }),
		fails: true,
	},
	{
		name: 'Redirect to another host (307)',
		run: answer('307 Temporary Redirect', 'text/plain', '', { location: 'OTHER' }),
		status: 'failed',
		kept: 'nothing came',
		answer: answer('307 Temporary Redirect', 'text/plain', '', { location: 'OTHER' }),
		fails: true,
	},
	{
		name: 'Huge headers (100 kB)',
		run: stream(WHOLE, hugeHeaders),
		status: 'interrupted',
		kept: 'nothing came',
		answer: answer('200 OK', json, JSON_ANSWER, hugeHeaders),
		fails: true,
	},
	{
		name: 'Huge line',
		run: begun(async (line) => {
			await line.send('data: "');
			await endless(line, 'x'.repeat(65_536));
		}),
		options: SMALL,
		status: 'interrupted',
		kept: 'thread and text',
		mostSent: MOST,
		isHeavy: true,
	},
	{
		name: 'Endless stream',
		run: begun(
			async (line) => await endless(line, events({ type: 'text-delta', id: '1', delta: 'more ' }).repeat(1000)),
		),
		options: SMALL,
		status: 'interrupted',
		kept: 'thread and text',
		mostSent: MOST,
		isHeavy: true,
	},
	{
		name: 'Endless answer that is no stream',
		run: async (line) => {
			await line.head('500 Internal Server Error', { 'content-type': 'text/plain', 'x-thread-id': THREAD });
			await endless(line, 'x'.repeat(65_536));
		},
		status: 'failed',
		kept: 'thread',
		mostSent: MOST,
		isHeavy: true,
	},
	{
		name: 'Huge body (20 MB)',
		isHeavy: true,
		answer: answer('200 OK', json, JSON.stringify({ value: 'x'.repeat(2e7) })),
		fails: false,
	},
	{
		name: '`429`',
		run: answer('429 Too Many Requests', json, error('Slow down'), { 'retry-after': '7' }),
		status: 'failed',
		kept: 'nothing came',
		answer: answer('429 Too Many Requests', json, error('Slow down'), { 'retry-after': '7' }),
		fails: true,
	},
	{
		name: '`529`',
		run: answer('529 Overloaded', json, error('Overloaded')),
		status: 'failed',
		kept: 'nothing came',
		answer: answer('529 Overloaded', json, error('Overloaded')),
		fails: true,
	},
	{
		name: 'Invalid UTF-8',
		run: stream(
			Buffer.concat([
				Buffer.from(BEGUN),
				Buffer.from('data: {"type":"text-delta","id":"1","delta":"'),
				Buffer.from([0xff, 0xc3, 0x28]),
				Buffer.from(`"}\n\n${FINISHED}${DONE}`),
			]),
		),
		status: 'completed',
		kept: 'thread and text',
		answer: answer(
			'200 OK',
			json,
			Buffer.concat([Buffer.from('{"value":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]),
		),
		fails: false,
	},
	{
		name: 'NUL bytes',
		run: stream(`${BEGUN}\u0000\n\ndata: \u0000\n\n${FINISHED}${DONE}`),
		status: 'completed',
		kept: 'thread and text',
		answer: answer('200 OK', json, `\u0000${JSON_ANSWER}`),
		fails: false,
	},
	{
		name: 'Byte-order mark',
		run: stream(`\uFEFF${WHOLE}`),
		status: 'completed',
		kept: 'thread and text',
		answer: answer('200 OK', json, `\uFEFF${JSON_ANSWER}`),
		fails: false,
	},
];
