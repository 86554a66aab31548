/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { Readable } from 'node:stream';

import { addVideo } from '../../nodes/BrowserAutomation/own-steps/get-replay';
import type { Call } from '../../nodes/BrowserAutomation/request/request';
import { session } from '../../nodes/BrowserAutomation/resources/session';
import { BROWSER_AUTOMATION, everythingOf, operate } from '../engine/run-node';
import { answering, type Answer } from '../support/answering';
import { usePauses } from '../support/clock';
import { executionOf } from '../support/execution';
import { serve, type Responder } from '../support/serve';
import { useService } from '../support/use-service';

const service = useService();
const replay = { resource: 'session', operation: 'getReplay', sessionId: 'session-1' };
const waiting = { ...replay, waitForRecording: true, maximumWait: 20 };
const AS_TOOL = { node: { type: `${BROWSER_AUTOMATION}Tool` } };

describe('the wait for a recording', () => {
	usePauses();

	const CHECK_ID = /^It does not exist, or no longer\. Check 'Session ID'/;
	const TURN_ON = /Turn on 'Wait for Recording'$/;
	const NEVER = /^No recording exists for this session$/;
	it.each<[number, object, number, RegExp?]>([
		[404, { detail: 'Session not found' }, 2, CHECK_ID],
		[404, { replay_status: 'unknown' }, 2, CHECK_ID],
		[404, { replay_status: 'expired' }, 2, CHECK_ID],
		[404, { replay_status: 'waiting_for_session' }, 2, TURN_ON],
		[404, { replay_status: 'processing' }, 2, TURN_ON],
		[404, { retryable: true }, 2, TURN_ON],
		[404, { replay_status: 'processing', retryable: false }, 1, NEVER],
		[404, { replay_status: 'failed' }, 1, NEVER],
		[404, { replay_status: 'unavailable' }, 1, NEVER],
		[410, { detail: 'Gone' }, 1, NEVER],
		[409, { retryable: true }, 2],
		...[429, 502, 503, 504, 529].map((status): [number, object, number] => [status, {}, 2]),
		[503, { retryable: false }, 1],
		[500, {}, 1],
		[401, {}, 1],
	])('after %d %j sends %d requests, and without it says what to do', async (status, body, times, advice = /./) => {
		// Longer than anyone waits.
		const impatient = await answering([status, body, { 'retry-after': '200' }]);
		const { error } = await operate(impatient, replay);
		expect(error).toMatchObject({ httpCode: String(status), description: expect.stringMatching(advice) as string });
		expect(impatient.requests).toHaveLength(1);
		const address = await answering([status, body]);
		const waited = await operate(address, { ...waiting, maximumWait: 0.3 });
		expect(waited.error?.httpCode).toBe(String(status));
		expect(address.requests).toHaveLength(times);
	});

	/** Seconds from the first to the last request. */
	const secondsOf = async (form: object, ...answers: Parameters<typeof answering>) => {
		const address = await answering(...answers);
		const before = performance.now();
		const { error } = await operate(address, { ...waiting, ...form });
		return { error, seconds: (performance.now() - before) / 1000 };
	};
	const [unknown, processing]: Answer[] = [[404], [404, { replay_status: 'processing' }]];

	it('continues to the end of its time while the service says that the recording comes', async () => {
		const { error, seconds } = await secondsOf({ maximumWait: 60 }, processing);
		expect(seconds).toBeGreaterThanOrEqual(59);
		const advice = "Check that the session has ended, or raise 'Max Wait (s)'";
		expect(error?.description).toBe(advice);
	});

	// E6.
	it.each<[string, Parameters<typeof answering>]>([
		['at the beginning', [unknown]],
		['after the service has said that it comes', [processing, unknown]],
		['after the connection broke', [processing, 'reset']],
		['because the state is another one', [[404, { replay_status: 'expired' }]]],
	])('ends after 30 seconds without a word about it: %s', async (_when, answers) => {
		const { error, seconds } = await secondsOf({ maximumWait: 600 }, ...answers);
		expect(error).toBeDefined();
		expect(seconds).toBeGreaterThan(15);
		expect(seconds).toBeLessThan(33);
	});
});

describe('the video', () => {
	const download = { ...replay, downloadVideo: true };

	it('is handed on as a stream, so that it is never held in memory as a whole', async () => {
		const body = Readable.from(['film\0']);
		const httpRequest = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
		const film = { data: 'id', mimeType: 'video/mp4' };
		const prepareBinaryData = jest.fn(async (stream: Readable) => (await stream.toArray(), film));
		const values = { downloadVideo: true, videoField: 'film', sessionId: 's/.1', idleTimeout: 300, maxVideoSize: 1 };
		const context = { helpers: { httpRequest, prepareBinaryData } };
		const [operation] = session.operations;
		const call = { context, credentials: {}, execution: executionOf(), operation, values, request: {} };
		const json = { mp4_url: 'https://storage.example.test/v' };
		expect(await addVideo({ json }, call as unknown as Call)).toEqual({ json, binary: { film } });
		expect(prepareBinaryData).toHaveBeenCalledWith(expect.any(Readable), 's_1.mp4', undefined);
		expect(httpRequest).toHaveBeenCalledWith(expect.objectContaining({ encoding: 'stream' }));
	});

	it('is missing with a hint if the service has none', async () => {
		const { items, hints } = await operate(service, { ...download, sessionId: 'null-fields' });
		expect(items[0].json).toMatchObject({ mp4_url: null, playlist_content: null });
		expect(items[0]).not.toHaveProperty('binary');
		expect(hints).toMatchObject([{ message: `'Download Video' is on, but the response has no "mp4_url"` }]);
	});

	/** A service whose video is at the given path of the same server. */
	const withVideo = async (listener: Responder) => {
		const server = await serve((request, response, sent) => {
			if (!request.url!.startsWith('/sessions/')) return listener(request, response, sent);
			const body = { expires_at: 'x', mp4_url: `${server.url}/video?X-Signature=signature-of-video` };
			return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		});
		return server;
	};

	it('may be elsewhere, where no key is sent', async () => {
		const keys: unknown[] = [];
		const { target } = await withVideo((request, response) => {
			keys.push(request.headers.authorization);
			if (request.url!.startsWith('/video')) return response.writeHead(302, { location: '/moved' }).end();
			return response.writeHead(200).end('film\0');
		});
		const { items } = await operate(target, download);
		expect(Buffer.from(items[0].binary!.video.data, 'base64').toString()).toBe('film\0');
		expect(keys).toEqual([undefined, undefined]);
	});

	const LOST = 'The video was not downloaded: ';
	const STORAGE = `${LOST}the video storage`;
	const APPLE = 'application/vnd.apple.mpegurl';
	const respond =
		(status: number, body: string, headers = {}): Responder =>
		(_request, response) =>
			response.writeHead(status, headers).end(body);
	const typed = (type: string, body: string) => respond(200, body, { 'content-type': type });
	const PLAYLIST = typed(`${APPLE}; charset=utf-8`, 'x');
	it.each<[string, Responder, string]>([
		['is rejected', respond(403, 'signature-of-video'), `${STORAGE} responded with status 403`],
		['is a page', typed('text/html', 'signature-of-video'), `${STORAGE} sent text/html instead of the file`],
		// printnanny-os#287, WWBN/AVideo#6949
		['is not ready', respond(202, 'still processing'), `${STORAGE} responded with status 202`],
		['is a text', typed('video/mp4', 'Link expired'), `${STORAGE} sent text instead of the file`],
		['is announced as a playlist', PLAYLIST, `${STORAGE} sent ${APPLE} instead of the file`],
		['cannot be reached', (request) => request.socket.destroy(), `${LOST}no response from the video storage: `],
	])('that %s gives a readable error, and leaves no connection open', async (_name, listener, message) => {
		const { target, allClosed } = await withVideo(listener);
		const { error } = await operate(target, download);
		expect(error).toMatchObject({ name: 'NodeApiError', context: { itemIndex: 0 } });
		expect(error!.message).toContain(message);
		const advice = 'Execute this node again, because video links expire after a short time. If it happens again, raise';
		expect(error!.description).toContain(advice);
		expect(everythingOf(error)).not.toMatch(/signature-of-video|some-api-key/);
		const told = await operate(target, download, AS_TOOL);
		expect(told.error!.message).toBe(`${error!.message}. Tell the user: ${error!.description}`);
		await allClosed();
	});
});
