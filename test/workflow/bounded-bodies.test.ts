/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { useStoppedClock } from '../support/clock';
import { letRead } from '../support/let-read';
import { serve } from '../support/serve';

// Whoever sends a body, and however it never ends: it is read up to a limit, and no longer than the workflow may take.

const UNSEEN = 'kEy-5f3a9cb1d27e48f6a0c1';

const start: INodeParameters = { resource: 'automationRun', operation: 'start', query: 'a' };
const search: INodeParameters = { resource: 'web', operation: 'search', searchQuery: 'a' };
const replay: INodeParameters = { resource: 'session', operation: 'getReplay', sessionId: 's' };

type Kind = [name: string, type: string, form: INodeParameters, path: string];

/** Every kind of request, and the end of its path. */
const KINDS: Kind[] = [
	['a background start', RUN_AUTOMATION, { query: 'a', operation: 'background' }, '/start'],
	['a run', RUN_AUTOMATION, { query: 'a', options: { idleTimeout: 0, totalTimeout: 0 } }, '/start'],
	['an operation that starts a run', BROWSER_AUTOMATION, start, '/start'],
	['a search', BROWSER_AUTOMATION, search, '/search'],
	['a recording', BROWSER_AUTOMATION, replay, '/replay'],
	['the request of a token', BROWSER_AUTOMATION, { ...search, authentication: 'oAuth2Password' }, '/token'],
	['a video', BROWSER_AUTOMATION, { ...replay, downloadVideo: true }, '.mp4'],
];
const waiting = { ...replay, waitForRecording: true, maximumWait: 600 };
const POLL: Kind = ['the wait for a recording', BROWSER_AUTOMATION, waiting, '/replay'];

/** Runs a node on a service that responds to one path as given, and counts the requests for it. */
async function runOn(
	respond: (response: ServerResponse) => unknown,
	[, type, form, path]: Kind,
	options: NodeRunOptions = {},
) {
	let count = 0;
	const server = await serve((request, response) => {
		if (request.url!.endsWith(path)) return (count++, respond(response));
		response.writeHead(200, { 'content-type': 'application/json' });
		return response.end(JSON.stringify({ mp4_url: `${server.url}/a.mp4`, expires_at: 'x' }));
	});
	const user = { username: 'ann', password: 'pass word' };
	const ran = await runNode(type, { ...server.target, apiKey: UNSEEN, user }, form, options);
	// The node has closed each connection.
	await server.allClosed();
	return { ...ran, count };
}

/** Sends a byte now and then, for ever. */
async function drip(response: ServerResponse) {
	response.writeHead(200).write('\0');
	while (!response.closed) {
		await letRead();
		response.write('\0');
	}
}

const processing = (response: ServerResponse) =>
	response.writeHead(404, { 'content-type': 'application/json' }).end('{"replay_status":"processing"}');

// E5.
describe('(with a stopped clock)', () => {
	const clock = useStoppedClock();
	const CASES: Array<[...Kind, (response: ServerResponse) => unknown]> = [
		...KINDS.map((kind): [...Kind, (response: ServerResponse) => unknown] => [...kind, drip]),
		[...POLL, processing],
	];

	/** Runs a node until it has ended, with options for which it counts when its request is received. */
	async function meet(
		[name, type, form, path, respond]: (typeof CASES)[number],
		options: (received: Promise<void>) => NodeRunOptions,
	) {
		let begin: () => void;
		const received = new Promise<void>((resolve) => (begin = resolve));
		const respondAndTell = (response: ServerResponse) => (begin(), respond(response));
		const ran = runOn(respondAndTell, [name, type, form, path], options(received));
		await received;
		return await clock.passUntil(ran);
	}

	it.each(CASES)('the time limit of the workflow ends %s', async (...given) => {
		// Shorter than every limit of a request.
		const { error, count } = await meet(given, () => ({ workflowSettings: { executionTimeout: 5 } }));
		const said = `${error?.message}. ${error?.description}`;
		expect(said).toMatch(/the workflow (is|was) about to reach its time limit/i);
		expect(said).toMatch(given[3] === '/start' ? /run may have started|Look for the run/ : /Raise 'Timeout After'/);
		expect(count).toBeLessThan(15);
	});

	it.each(CASES)('Stop ends %s', async (...given) => {
		const { status, count } = await meet(given, (cancelWhen) => ({ cancelWhen }));
		expect([status, count]).toEqual(['canceled', 1]);
	});

	it.each(KINDS.filter(([, type]) => type === BROWSER_AUTOMATION))(
		'after the failure of another item, %s is not sent',
		async (...kind) => {
			const [, , , path] = kind;
			// One more than are sent at the same time.
			const input = Array.from({ length: 11 }, (_, n) => ({ json: { n } }));
			const failing = (response: ServerResponse) =>
				response.writeHead(422, { 'content-type': 'application/json' }).end('{"detail":"No"}');
			const { error, count } = await clock.passUntil(runOn(failing, kind, { input }));
			expect(`${error?.message} ${error?.description}`).toMatch(/No|422/);
			expect(count).toBe(path === '/token' ? 1 : 10);
		},
	);
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

// S8. No video: its bytes are stored as they are received.
it.each(KINDS.slice(0, -1))('of %s that expands without an end, only a part is read', async (...kind) => {
	for (const piece of [' ', '{"a":']) {
		let sent = () => 0;
		const { error } = await runOn((response) => void (sent = bomb(response, piece)), kind);
		expect(error).toBeDefined();
		expect(sent()).toBeLessThan(200e6);
	}
});
