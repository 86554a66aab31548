/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { Readable } from 'node:stream';

import { addVideo, getReplaySteps } from '../../nodes/BrowserAutomation/own-steps/get-replay';
import type { SendResult, Call } from '../../nodes/BrowserAutomation/request/call';
import type { Execution } from '../../nodes/shared/n8n/execution';
import { executionOf } from '../support/execution';

it('hands the stream of the video on as it is, so that it is never held in memory as a whole', async () => {
	const body = Readable.from(['film']);
	const httpRequest = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
	const film = { data: 'id', mimeType: 'video/mp4' };
	const prepareBinaryData = jest.fn(async (stream: Readable) => {
		await stream.toArray();
		return film;
	});
	const values = { downloadVideo: true, videoField: 'film', sessionId: 's/.1', idleTimeout: 300, maxVideoSize: 1 };
	const context = { helpers: { httpRequest, prepareBinaryData } };
	const call = { context, credentials: {}, execution: executionOf(), values, request: {} } as unknown as Call;
	const answer = { mp4_url: 'https://storage.example.test/v' };
	expect(await addVideo(call, { json: {} }, answer)).toEqual({ json: {}, binary: { film } });
	expect(prepareBinaryData).toHaveBeenCalledWith(expect.any(Readable), 's_1.mp4', 'video/mp4');
	expect(httpRequest).toHaveBeenCalledWith(expect.objectContaining({ encoding: 'stream' }));
});

describe('waiting for a recording', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	const response = { statusCode: 404, headers: {}, body: {} };
	const late: SendResult = { response, failure: Object.assign({ reason: '', advice: '' }, { mayComeLater: true }) };
	const wait = async (once: () => Promise<SendResult>, more: Partial<Execution> = {}) => {
		const values = { waitForRecording: true, maximumWait: 60 };
		return await getReplaySteps.send!({ execution: executionOf(more), values } as unknown as Call, once);
	};

	it('ends on Stop within 100 ms of its pause, without a timer that is left', async () => {
		const stop = new AbortController();
		const once = jest.fn(async () => await Promise.resolve(late));
		const ended = expect(wait(once, { stop: stop.signal })).rejects.toThrow('The execution was stopped while waiting');
		await jest.advanceTimersByTimeAsync(20);
		expect(jest.getTimerCount()).toBe(1);
		stop.abort();
		await jest.advanceTimersByTimeAsync(100);
		await ended;
		expect([jest.getTimerCount(), once.mock.calls.length]).toEqual([0, 1]);
	});

	it('continues while nothing listens, once the service has responded', async () => {
		const away: SendResult = { failure: { reason: '', advice: '', cause: 'noConnection', httpCode: 'ECONNREFUSED' } };
		const done: SendResult = { response: { ...response, statusCode: 200 } };
		const results = [late, away, away, done];
		const got = wait(async () => await Promise.resolve(results.shift()!));
		await jest.advanceTimersByTimeAsync(20_000);
		expect(await got).toBe(done);
	});
});

it('the form of Get Replay has options only if there is a video to download', () => {
	const { properties } = new BrowserAutomation().description;
	const ofReplay = properties.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes('getReplay'));
	const [options] = ofReplay.filter(({ name }) => name === 'options');
	expect(options.displayOptions?.show).toMatchObject({ downloadVideo: [true] });
});
