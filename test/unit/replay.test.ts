/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { Readable } from 'node:stream';

import type { IExecutePaginationFunctions, INode } from 'n8n-workflow';

import { addVideo } from '../../nodes/BrowserAutomation/resources/session/getReplay/video';
import { apiError } from '../../nodes/errors/node-error';
import { waitForReplay } from '../../nodes/BrowserAutomation/resources/session/getReplay/wait';

const node = { name: 'Browser Automation', type: 'browserAutomation' } as INode;

const contextWith = (parameters: Record<string, unknown>, rest: object) =>
	({
		getNode: () => node,
		getItemIndex: () => 0,
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		getExecutionCancelSignal: () => undefined,
		getCredentials: async () => ({ apiKey: 'key' }),
		...rest,
	}) as unknown as IExecutePaginationFunctions;

it('waiting ends in the middle of a pause when the execution is stopped, asks no more, and leaves no timer', async () => {
	const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
	const stop = new AbortController();
	const makeRoutingRequest = jest.fn(async () => {
		setTimeout(() => stop.abort(), 20);
		const error = apiError(node, { reason: 'Not ready', advice: 'Wait', itemIndex: 0, httpCode: '404' });
		throw Object.assign(error, { context: { ...error.context, recordingMayStillCome: true } });
	});
	const rest = { makeRoutingRequest, getExecutionCancelSignal: () => stop.signal };
	const context = contextWith({ waitForRecording: true, maximumWait: 60 }, rest);
	const begin = Date.now();
	const before = timers();
	await expect(waitForReplay.call(context, {} as never)).rejects.toThrow('The execution was stopped while waiting');
	// Those of jest itself may end in between.
	expect(timers()).toBeLessThanOrEqual(before);
	expect(Date.now() - begin).toBeLessThan(5_000);
	expect(makeRoutingRequest).toHaveBeenCalledTimes(1);
});

it('hands the stream of the video on as it is, so that it is never held whole', async () => {
	const body = Readable.from(['film']);
	const httpRequest = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
	const prepareBinaryData = jest.fn(async () => ({ data: 'id', mimeType: 'video/mp4' }));
	const parameters = { downloadVideo: true, videoField: 'film', sessionId: 's/1' };
	const context = contextWith(parameters, { helpers: { httpRequest, prepareBinaryData } });
	const answer = { statusCode: 200, headers: {}, body: { mp4_url: 'https://storage.example.test/v' } };
	const items = await addVideo.call(context, [{ json: {} }], answer);
	expect(items).toEqual([{ json: {}, binary: { film: { data: 'id', mimeType: 'video/mp4' } } }]);
	expect(prepareBinaryData).toHaveBeenCalledWith(body, 's_1.mp4', 'video/mp4');
	const request = { encoding: 'stream', ignoreHttpStatusErrors: true };
	expect(httpRequest).toHaveBeenCalledWith(expect.objectContaining(request));
	expect(JSON.stringify(httpRequest.mock.calls)).not.toMatch(/authorization/i);
});
