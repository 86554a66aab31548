/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';

import { runAutomation, type Extra } from '../engine/run-node';
import { events, finish, streamHeaders, textChunks } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { useStoppedClock } from '../support/clock';
import { happens } from '../support/event';
import { useReceived } from '../support/received';
import { serve } from '../support/serve';

const BACKGROUND = { operation: 'background' };

/** Runs a task against a server that does only what it is told, and gives what it was sent. No connection may stay open behind it. */
async function start(respond: (response: ServerResponse) => void, form: INodeParameters = {}, extra: Extra = {}) {
	const requests: IncomingMessage[] = [];
	const server = await serve((request, response) => {
		requests.push(request.resume());
		respond(response);
	});
	const ran = await runAutomation(server.target, { query: 'Do it', ...form }, extra);
	await happens('every connection is closed', server.allClosed());
	return { ...ran, requests };
}

describe('a start', () => {
	// tower-http#419, encode/starlette#2753: a proxy that compresses a stream may hold it back until its end.
	it.each<[INodeParameters, string, unknown]>([
		[{}, 'text/event-stream', 'identity'],
		[{ operation: 'rows', columns: { column: [{ name: 'a' }] } }, 'text/event-stream', 'identity'],
		[BACKGROUND, 'application/json', expect.stringContaining('gzip')],
	])('asks for what it can read: %j', async (form, accept, encoding) => {
		const { requests } = await start((response) => void response.writeHead(500).end(), form);
		const headers = { accept, 'accept-encoding': encoding };
		expect(requests).toMatchObject([{ method: 'POST', url: '/api/anything/start', headers }]);
	});

	it('without a credential is rejected, and says what is missing', async () => {
		const { error, requests } = await start(() => {}, {}, { settings: { credentials: undefined } });
		expect(error?.description).toMatchSnapshot();
		expect(requests).toEqual([]);
	});
});

describe('a response to a start that is unusual', () => {
	const SAID = { 'x-any-ai-ui-message-stream': 'v1' };
	const typed = (type: string, more = {}) => ({ 'content-type': type, ...more });
	const ofStreams = ['text/event-stream', 'text/plain', 'application/x-ndjson'];
	const ofOthers = ['application/json', 'Application/JSON; charset=utf-8', 'text/html', 'application/problem+json'];
	it.each<[number, object, boolean]>([
		...[...ofStreams.map((type) => typed(type)), {}].map((headers): [number, object, boolean] => [200, headers, true]),
		...ofOthers.map((type): [number, object, boolean] => [200, typed(type), false]),
		// A success may say so in a header of its own.
		[200, typed('application/json', { 'X-Any-AI-UI-Message-Stream': 'v1' }), true],
		[201, SAID, true],
		[500, typed('text/event-stream', SAID), false],
		...[201, 204, 300].map((status): [number, object, boolean] => [status, typed('text/event-stream'), false]),
	])('is a stream, or may hide a run, with status %d and %j: %j', async (status, headers, isStream) => {
		const { items, error } = await start((response) => {
			response.writeHead(status, { 'x-thread-id': THREAD, ...headers });
			response.end(`\ufeff: keep-alive\n\n${events(...textChunks('Hello'), finish)}`);
		});
		const json = { status: 'completed', text: 'Hello', thread_id: THREAD };
		expect(items).toMatchObject(isStream ? [{ json }] : []);
		if (isStream) return;
		expect(error?.httpCode).toBe(String(status));
		expect(error?.context.data).toMatchObject({ thread_id: THREAD, status: 'interrupted' });
	});

	const PAGE = '<!doctype html><title>Sign in</title>';
	const NDJSON = '{"type":"text","text":"Hi"}\n{"type":"end"}\n';
	const SENT = 'The connection closed before the run finished. The service sent: ';
	// shuv1337/oc-web#143: a page under the type of a stream.
	it.each([
		['text/event-stream', PAGE, `${SENT}The service returned a web page titled "Sign in"`],
		['text/plain', '{"error":{"code":"payment","message":"Out of\\ncredits"}}', `${SENT}Out of credits (payment)`],
		['text/event-stream', '\n{\n"detail": "The key key-7f3a9c1b is locked"}\n', `${SENT}The key *** is locked`],
		['text/plain', 'Welcome', `${SENT}Welcome`],
		// assistant-ui PR#4096, OmniRoute PR#4937: NDJSON, and the protocol of an older SDK.
		['text/plain', NDJSON, `${SENT}{"type":"text","text":"Hi"} {"type":"end"}`],
		['text/plain', '0:"Hello"\nd:{"finishReason":"stop"}\n', `${SENT}0:"Hello" d:{"finishReason":"stop"}`],
		['text/plain', `${events(...textChunks('Found'))}{"error":"Out of credits"}`, `${SENT}Out of credits`],
	])('has its words told, masked, and is sent once: %s, %s', async (type, body, message) => {
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { error, requests } = await start(
			(response) => {
				response.writeHead(200, { 'content-type': type, 'x-thread-id': THREAD }).write(body.slice(0, 9));
				setImmediate(() => response.end(body.slice(9)));
			},
			{},
			{ credentials: { apiKey: 'key-7f3a9c1b' }, settings },
		);
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(new RegExp(` Thread ID: ${THREAD}$`));
		expect(error?.context.data).toMatchObject({ thread_id: THREAD, status: 'interrupted' });
		expect(requests).toHaveLength(1);
	});

	describe('while time passes,', () => {
		const clock = useStoppedClock();
		const onReceived = useReceived();
		const first = [...textChunks('First'), finish];
		const beginWith = (response: ServerResponse, ...chunks: object[]) =>
			void response.writeHead(200, streamHeaders(THREAD)).write(events(...chunks));

		it.each([
			['It was closed after 0.5 seconds. The run may', { idleTimeout: 0.5 }],
			["'Run Timeout (s)' under 'Options'). The run had ended, but may", { totalTimeout: 0.7 }],
		])('reports that a run that has ended was not read on: %s', async (told, options) => {
			const later = `: ${'x'.repeat(3000)}\n\n`;
			const respond = (response: ServerResponse) => {
				beginWith(response, ...first);
				onReceived((piece) => void (piece.includes('First') && clock.pass(0.7).then(() => response.write(later))));
			};
			const { items, hints } = await start(respond, { options });
			const warning = expect.stringContaining(`${told} still be in progress; later output is missing`) as string;
			expect(items[0].json).toMatchObject({ status: 'completed', text: 'First', warnings: [warning] });
			expect(hints).toMatchObject([{ message: 'Warnings of the run: 1' }]);
		});
	});
});
