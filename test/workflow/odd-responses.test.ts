/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sleep, type INodeParameters } from 'n8n-workflow';

import { runAutomation, type Extra } from '../engine/run-node';
import { events, finish, runStream, streamHeaders, textChunks } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { useStoppedClock } from '../support/clock';
import { happens } from '../support/event';
import { useReceived } from '../support/received';
import { serve } from '../support/serve';

const BACKGROUND = { operation: 'background' };
/** An address of this machine that does not look like one. */
const MAPPED = '[::ffff:127.0.0.1]';

/** Runs a task against a server that does only what it is told, and gives what it was sent. No connection may stay open behind it. */
async function start(
	respond: (response: ServerResponse) => void,
	form: INodeParameters = {},
	extra: Extra & { host?: string } = {},
) {
	const requests: IncomingMessage[] = [];
	const server = await serve((request, response) => {
		requests.push(request.resume());
		respond(response);
	});
	const { host = '127.0.0.1' } = extra;
	const automationUrl = server.url.replace('127.0.0.1', host);
	const credentials = JSON.parse(JSON.stringify(extra.credentials ?? {}).replace('URL', automationUrl)) as object;
	const target = { ...server.target, automationUrl };
	const ran = await runAutomation(target, { query: 'Do it', ...form }, { ...extra, credentials });
	await happens('every connection is closed', server.allClosed());
	return { ...ran, requests };
}

const done = (response: ServerResponse) => void response.writeHead(200, streamHeaders('t')).end(events(finish));

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

	it('is not sent unencrypted to another machine, unless the credential allows it', async () => {
		const refused = await start(done, {}, { host: MAPPED });
		const message = "'Automation URL' starts with http://, so the API key would be sent unencrypted";
		expect([refused.error?.message, refused.requests]).toEqual([message, []]);
		const { items } = await start(done, {}, { host: MAPPED, credentials: { allowUnencrypted: true } });
		expect(items[0].json.status).toBe('completed');
	});

	it('without a credential is rejected, and says what is missing', async () => {
		const { error, requests } = await start(() => {}, {}, { settings: { credentials: undefined } });
		expect(error?.description).toMatchSnapshot();
		expect(requests).toEqual([]);
	});

	it.each([{}, BACKGROUND])('that is rejected because of a field calls it as the form does: %j', async (form) => {
		const detail = [{ loc: ['body', 'reasoning_effort'], msg: "Input should be 'low' or 'high'" }];
		const { error } = await start((response) => {
			response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }));
		}, form);
		expect(error?.message).toBe("'Reasoning Effort' under 'Options', 'Model': Input should be 'low' or 'high'");
		expect(error?.description).toMatchSnapshot();
	});

	it('is not sent if the URL of a later item cannot be used', async () => {
		const credentials = { automationUrl: '={{ $itemIndex ? "http://far.example" : "URL" }}' };
		const { error, requests } = await start(done, {}, { input: [{}, {}], credentials });
		expect(error?.message).toMatch(/^'Automation URL' starts with http:\/\/, so the API key/);
		expect(requests).toEqual([]);
	});
});

describe('a response to a start that is unusual', () => {
	it.each([
		[201, {}],
		[200, { 'content-type': 'application/json' }],
	])('is a stream if its header says so: status %d with %j', async (status, headers) => {
		const stream = { 'X-Any-AI-UI-Message-Stream': 'v1', 'x-thread-id': THREAD, ...headers };
		const { items } = await start((response) => {
			response.writeHead(status, stream).end(events(...textChunks('Done'), finish));
		});
		expect(items[0].json).toMatchObject({ status: 'completed', text: 'Done', thread_id: THREAD });
	});

	// vllm-project/vllm-ascend#6985, #5033: a proxy passes an event stream on under another type.
	const [json, xml] = [
		['json', 'problem+json'],
		['xml', 'xhtml+xml'],
	].map((all) => all.map((one) => `application/${one}`));
	const noStreams = [...json, 'Application/JSON; charset=utf-8', 'text/html', 'text/xml', ...xml];
	const anyTypes = ['text/event-stream', 'text/plain', undefined, 'application/x-ndjson', ...noStreams];
	it.each(anyTypes)('is a stream by its first bytes, whatever its type: %s', async (type) => {
		const bodies = ['', ': keep-alive\n\n', 'event: message\n', 'id:1\r\n', 'retry: 5\n', '\ufeff', '\n\n'];
		for (const body of bodies.map((before) => before + events(...textChunks('Hello'), finish))) {
			const { items } = await start((response) => {
				response.writeHead(200, type === undefined ? {} : { 'content-type': type });
				response.write(body.slice(0, 2));
				void sleep(10).then(() => response.end(body.slice(2)));
			});
			expect(items.map(({ json }) => json.text)).toEqual(['Hello']);
		}
	});

	it.each(noStreams)('is none if its bytes agree with its type: %s', async (type) => {
		for (const body of ['{}', '[{}]', '<html>', 'data', 'Data: 1', 'OK', '']) {
			const { items, error } = await start((response) => {
				response.writeHead(200, { 'content-type': type }).end(body);
			});
			expect(items).toEqual([]);
			expect(error?.context.data).toEqual({ thread_id: null, status: 'interrupted' });
		}
	});

	const CLOSED = 'The connection closed before the run finished';

	// shuv1337/oc-web#143: a page under the type of a stream.
	it('is named as a web page if it is one, also as a stream', async () => {
		const { error } = await start((response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' }).end('<!doctype html><title>Sign in</title>');
		});
		expect(error?.message).toBe('The service returned a web page titled "Sign in"');
	});

	it.each([
		['text/plain', '{"error":{"code":"payment","message":"Out of\\ncredits"}}', 'Out of credits (payment)'],
		['text/event-stream', '\n{\n"detail": "The key key-7f3a9c1b is locked"}\n', 'The key *** is locked'],
		[undefined, '{"ok":true}', `${CLOSED}. Outside the run, the service sent: {"ok":true}`],
		['text/plain', 'Welcome', `${CLOSED}. Outside the run, the service sent: Welcome`],
	])('has its words told if they are JSON, also as %s: %s', async (type, body, message) => {
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { error, requests } = await start(
			(response) => {
				response.writeHead(200, { ...(type && { 'content-type': type }), 'x-thread-id': THREAD });
				response.write(body.slice(0, 9));
				void sleep(20).then(() => response.end(body.slice(9)));
			},
			{},
			{ credentials: { apiKey: 'key-7f3a9c1b' }, settings },
		);
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(new RegExp(` Thread ID: ${THREAD}$`));
		expect(error?.context.data).toMatchObject({ thread_id: THREAD, status: 'interrupted' });
		expect(requests).toHaveLength(1);
	});

	const output = events(...textChunks('Found'));
	const words = '{"error":"Out of credits"}';
	it.each([
		['behind', output + words],
		['before', `${words}\n\n${output}`],
	])('has its words told %s the output of a run', async (_place, body) => {
		const { error } = await start((response) => {
			response.writeHead(200).write(body.slice(0, words.length));
			void sleep(20).then(() => response.end(body.slice(words.length)));
		});
		expect(error?.message).toBe('Out of credits');
	});

	const similar = ['no-x-any-ai-ui-message-stream', 'x-any-ai-ui-message-stream-version', 'x-ai-ui-message-stream'];
	it.each(similar)('is no stream because of a header that is only similar: %s', async (name) => {
		const { error } = await start((response) => {
			response.writeHead(200, { 'content-type': 'application/json', [name]: 'v1' }).end('{}');
		});
		expect(error?.message).toBe('The service returned application/json instead of the output of a run (status 200)');
	});

	it.each([
		[201, {}],
		[204, {}],
		[300, {}],
		[500, { 'x-any-ai-ui-message-stream': 'v1' }],
	])('is no stream with status %d, unless the header of a success says so: %j', async (status, said) => {
		const { error } = await start((response) => {
			response.writeHead(status, { 'content-type': 'text/event-stream', 'x-thread-id': THREAD, ...said });
			response.end(events(finish));
		});
		expect(error?.httpCode).toBe(String(status));
		expect(error?.context.data).toMatchObject({ thread_id: THREAD, status: 'interrupted' });
	});

	describe('while time passes,', () => {
		const clock = useStoppedClock();
		const onReceived = useReceived();
		const first = [...textChunks('First'), finish];
		const beginWith = (response: ServerResponse, ...chunks: object[]) =>
			void response.writeHead(200, streamHeaders(THREAD)).write(events(...chunks));

		it('is read on if a run that has ended continues a second later', async () => {
			const later = events({ type: 'start' }, { type: 'start-step' }, ...textChunks('Second', '2'), finish);
			const { items } = await start((response) => {
				beginWith(response, ...first);
				onReceived((piece) => void (piece.includes('First') && clock.pass(1.3).then(() => response.end(later))));
			});
			expect(items[0].json).toMatchObject({ status: 'completed', text: 'Second' });
			expect(items[0].json).not.toHaveProperty('warnings');
		});

		it.each([
			['Idle Timeout (s)', { idleTimeout: 0.5 }],
			['Run Timeout (s)', { totalTimeout: 0.7 }],
			['Max Response (MB)', { maxResponseSize: 0.002 }],
		])('reports that a run that has ended was not read on because of %s', async (limit, options) => {
			const later = `: ${'x'.repeat(3000)}\n\n`;
			const respond = (response: ServerResponse) => {
				beginWith(response, ...first);
				onReceived((piece) => void (piece.includes('First') && clock.pass(0.7).then(() => response.write(later))));
			};
			const { items, hints } = await start(respond, { options });
			const told = 'The run had ended, but may still be in progress; later output is missing';
			const warning = expect.stringContaining(`('${limit}' under 'Options', 'Limits'). ${told}`) as string;
			expect(items[0].json).toMatchObject({ status: 'completed', text: 'First', warnings: [warning] });
			expect(hints).toMatchObject([{ message: 'Warnings of the run: 1' }]);
		});

		it('is not restarted by Retry On Fail if its run failed, but may continue', async () => {
			// n8n waits, too, before it tries again.
			void clock.waitOf(1).then(async () => await clock.pass(0.001));
			onReceived(() => void clock.pass(0.5));
			const { requests, error } = await start(
				(response) => beginWith(response, { type: 'error', errorText: 'Blocked' }),
				{ options: { idleTimeout: 0.5 } },
				{ settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } },
			);
			expect(error?.description).toMatchSnapshot();
			expect(requests).toHaveLength(1);
		});
	});

	it('names its thread once, although its header is sent twice', async () => {
		const { items } = await start((response) => {
			response.writeHead(200, ['x-thread-id', THREAD, 'x-thread-id', THREAD]).end(events(finish));
		});
		expect(items[0].json.thread_id).toBe(THREAD);
	});

	const reasons = ['{"message":"Out of money"}', '{"message":"Out of\u00a0money"}\n \n'];
	it.each(reasons)('is not waited for once its reason is complete: %j', async (body) => {
		const respond = (response: ServerResponse) => {
			response.writeHead(402, { 'content-type': 'application/json' }).write(body.slice(0, 20));
			void sleep(100).then(() => response.write(body.slice(20)));
		};
		const { error } = await start(respond, { options: { idleTimeout: 0 } });
		expect(error?.message).toMatch(/^Out of\smoney$/);
	});

	it('that comes in pieces is waited for, and its characters stay complete', async () => {
		const bytes = Buffer.from(`{"thread_id":"${THREAD}","status":"started","note":"}","title":"größer"}`);
		const begun = bytes.indexOf('}') + 1;
		const middle = bytes.indexOf(Buffer.from('ö')) + 1;
		const { items } = await start((response) => {
			response.writeHead(202, { 'content-type': 'application/json' }).write(bytes.subarray(0, begun));
			void sleep(100)
				.then(() => response.write(bytes.subarray(begun, middle)))
				.then(async () => await sleep(100))
				.then(() => response.write(bytes.subarray(middle)));
		}, BACKGROUND);
		expect(items[0].json).toMatchObject({ thread_id: THREAD, note: '}', title: 'größer' });
	});

	it('that says it is done is complete, however large it is and whatever comes behind it', async () => {
		const whole = `${events(...textChunks('x'.repeat(3000)), finish)}data: [DONE]\n\n`;
		const respond = (response: ServerResponse) => void response.writeHead(200, streamHeaders(THREAD)).write(whole);
		const { items } = await start(respond, { options: { maxResponseSize: 0.002 } });
		expect(items[0].json).toMatchObject({ status: 'completed', text: 'x'.repeat(3000) });
	});

	it.each([
		['breaks off', events(...textChunks('Done'))],
		['fails', events({ type: 'error', errorText: 'Blocked' })],
	])('does not send a person to a thread that nobody knows if it %s', async (_name, body) => {
		const { error } = await runStream((_query, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
		});
		expect(error?.description).toMatchSnapshot();
	});
});
