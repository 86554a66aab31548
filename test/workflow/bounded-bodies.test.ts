/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { serve } from '../support/serve';

// Whoever sends a body, and however it never ends: it is read up to a limit, and no longer than the workflow may take.

const UNSEEN = 'kEy-5f3a9cb1d27e48f6a0c1';

const start: INodeParameters = { resource: 'automationRun', operation: 'start', query: 'a' };
const search: INodeParameters = { resource: 'web', operation: 'search', searchQuery: 'a' };
const withLogin: INodeParameters = { ...search, authentication: 'oAuth2Password' };
const video: INodeParameters = { resource: 'session', operation: 'getReplay', sessionId: 's', downloadVideo: true };
const background: INodeParameters = { query: 'a', operation: 'background' };
const run: INodeParameters = { query: 'a', options: { maxResponseSize: 1, idleTimeout: 0, totalTimeout: 0 } };

const CASES: Array<[string, string, INodeParameters]> = [
	['a background start', RUN_AUTOMATION, background],
	['a run', RUN_AUTOMATION, run],
	['an operation that starts a run', BROWSER_AUTOMATION, start],
	['Search', BROWSER_AUTOMATION, search],
	['the request of a token', BROWSER_AUTOMATION, withLogin],
	['a video', BROWSER_AUTOMATION, video],
];

/** Runs a node on a service whose last response never ends, and waits until the node has closed each connection. */
async function endOf(
	send: (response: ServerResponse, url: string) => void,
	[type, form]: [string, INodeParameters],
	options: NodeRunOptions = {},
) {
	const server = await serve((request, response) => {
		if (!request.url!.includes('replay') || request.url!.endsWith('.mp4')) return send(response, request.url!);
		response.writeHead(200, { 'content-type': 'application/json' });
		return response.end(JSON.stringify({ mp4_url: `${server.url}/a.mp4`, replay_status: 'ready' }));
	});
	const user = { username: 'ann', password: 'pass word' };
	const target = { ...server.target, apiKey: UNSEEN, user };
	const { error, status } = await runNode(type, target, form, options);
	await server.allClosed();
	return { error, status };
}

/** Sends a byte now and then, for ever. */
async function drip(response: ServerResponse, url: string) {
	const [type, byte] = url.endsWith('.mp4') ? ['video/mp4', '\0'] : ['application/json', ' '];
	response.writeHead(200, { 'content-type': type }).flushHeaders();
	while (!response.closed) {
		response.write(byte);
		await setTimeout(20);
	}
}

// S9 of the field reports: bytes that drip for ever.
it.each(CASES)('the time limit of the workflow ends %s', async (_name, ...request) => {
	const { error } = await endOf((...given) => void drip(...given), request, {
		workflowSettings: { executionTimeout: 1 },
	});
	expect(error?.message).toMatch(/the workflow (is|was) about to reach its time limit/i);
});

it.each(CASES)('Stop ends %s', async (_name, ...request) => {
	let received: () => void;
	const cancelWhen = new Promise<void>((resolve) => (received = resolve));
	const send = (response: ServerResponse, url: string) => {
		void drip(response, url);
		received();
	};
	expect((await endOf(send, request, { cancelWhen })).status).toBe('canceled');
});

/** Compressed to a thousandth: a small body that fills the memory. */
function bomb(response: ServerResponse, piece: string) {
	const bytes = Buffer.from(piece.repeat(Math.ceil(65536 / piece.length)));
	let sent = 0;
	const endless = Readable.from(
		(function* () {
			for (; sent < 600e6; sent += bytes.length) yield bytes;
		})(),
	);
	response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
	pipeline(endless, createGzip(), response, () => {});
	return () => sent;
}

// S8 of the field reports. No video: its bytes are stored as they are received.
const readers = CASES.slice(0, -1).flatMap((one) =>
	[' ', '{"a":', '[0,'].map((piece): [string, ...typeof one] => [piece, ...one]),
);
it.each(readers)('of %j that expands without an end, only a part is read: %s', async (piece, _name, ...request) => {
	let sent = () => 0;
	const { error } = await endOf((response) => void (sent = bomb(response, piece)), request);
	expect(error).toBeDefined();
	expect(sent()).toBeLessThan(200e6);
});

// The text was cut before anybody looked for the key in it.
it.each([65_520, 65_530, 4000])(
	'nothing of a key shows that begins before the limit of a body, after %i blanks',
	async (before) => {
		const body = `No ${' '.repeat(before)}${UNSEEN}${' '.repeat(70_000)}`;
		const { error } = await endOf((response) => response.writeHead(500).end(body), [RUN_AUTOMATION, { query: 'a' }]);
		expect(JSON.stringify([error!.message, error!.description])).not.toContain(UNSEEN.slice(0, 4));
	},
);
