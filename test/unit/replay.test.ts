/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { Readable } from 'node:stream';

import { addVideo, getReplaySteps } from '../../nodes/BrowserAutomation/routing/get-replay';
import type { SendResult, Call } from '../../nodes/BrowserAutomation/routing/call';
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
	const call = { context, execution: executionOf(), values, request: {} } as unknown as Call;
	const answer = { mp4_url: 'https://storage.example.test/v' };
	expect(await addVideo(call, { json: {} }, answer)).toEqual({ json: {}, binary: { film } });
	expect(prepareBinaryData).toHaveBeenCalledWith(expect.any(Readable), 's_1.mp4', 'video/mp4');
	expect(httpRequest).toHaveBeenCalledWith(expect.objectContaining({ encoding: 'stream' }));
});

it('the pause before the next request ends on Stop within 100 ms, without a timer that is left', async () => {
	jest.useFakeTimers();
	const stop = new AbortController();
	const values = { waitForRecording: true, maximumWait: 60 };
	const call = { execution: executionOf({ stop: stop.signal }), values } as unknown as Call;
	const failure = Object.assign({ reason: '', advice: '' }, { mayComeLater: true });
	const response = { statusCode: 404, headers: {}, body: {} };
	const once = jest.fn(async (): Promise<SendResult> => await Promise.resolve({ response, failure }));
	const ended = expect(getReplaySteps.send!(call, once)).rejects.toThrow('The execution was stopped while waiting');
	await jest.advanceTimersByTimeAsync(20);
	expect(jest.getTimerCount()).toBe(1);
	stop.abort();
	await jest.advanceTimersByTimeAsync(100);
	await ended;
	expect([jest.getTimerCount(), once.mock.calls.length]).toEqual([0, 1]);
	jest.useRealTimers();
});

it('waits while nothing listens, once the service has responded', async () => {
	jest.useFakeTimers();
	const call = { execution: executionOf(), values: { waitForRecording: true, maximumWait: 60 } } as unknown as Call;
	const late = Object.assign({ reason: '', advice: '' }, { mayComeLater: true });
	const response = { statusCode: 404, headers: {}, body: {} };
	const away: SendResult = { failure: { reason: '', advice: '', cause: 'unsent', httpCode: 'ECONNREFUSED' } };
	const done: SendResult = { response: { ...response, statusCode: 200 } };
	const results: SendResult[] = [{ response, failure: late }, away, away, done];
	const got = getReplaySteps.send!(call, async () => await Promise.resolve(results.shift()!));
	await jest.advanceTimersByTimeAsync(20_000);
	expect(await got).toBe(done);
	jest.useRealTimers();
});

it('the form of Get Replay has options only if there is a video to download', () => {
	const { properties } = new BrowserAutomation().description;
	const ofReplay = properties.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes('getReplay'));
	const [options] = ofReplay.filter(({ name }) => name === 'options');
	expect(options.displayOptions?.show).toMatchObject({ downloadVideo: [true] });
});
