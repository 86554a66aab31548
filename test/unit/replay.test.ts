/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { Readable } from 'node:stream';

import type { IExecutePaginationFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { Failed } from '../../nodes/errors/failure';
import { addVideo } from '../../nodes/BrowserAutomation/resources/session/getReplay/video';
import { waitForReplay } from '../../nodes/BrowserAutomation/resources/session/getReplay/wait';

it('hands the stream of the video on as it is, so that it is never held whole', async () => {
	const body = Readable.from(['film']);
	const httpRequest = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
	const film = { data: 'id', mimeType: 'video/mp4' };
	const prepareBinaryData = jest.fn(async () => film);
	const parameters: Record<string, unknown> = { downloadVideo: true, videoField: 'film', sessionId: 's/.1' };
	const context = {
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		getExecutionCancelSignal: () => undefined,
		helpers: { httpRequest, prepareBinaryData },
	} as unknown as IExecuteSingleFunctions;
	const answer = { statusCode: 200, headers: {}, body: { mp4_url: 'https://storage.example.test/v' } };
	const add = addVideo as (items: INodeExecutionData[], response: object) => Promise<INodeExecutionData[]>;
	expect(await add.call(context, [{ json: {} }], answer)).toEqual([{ json: {}, binary: { film } }]);
	expect(prepareBinaryData).toHaveBeenCalledWith(expect.any(Readable), 's_1.mp4', 'video/mp4');
	expect(httpRequest).toHaveBeenCalledWith(expect.objectContaining({ encoding: 'stream' }));
});

it('the pause before the next request ends on Stop within half a second, without a timer that is left', async () => {
	jest.useFakeTimers();
	const stop = new AbortController();
	const parameters: Record<string, unknown> = { waitForRecording: true, maximumWait: 60 };
	const notReady = new Failed(Object.assign({ reason: '', advice: '' }, { mayComeLater: true }));
	const context = {
		getNode: () => ({ type: 'x.y' }),
		getItemIndex: () => 0,
		getNodeParameter: (name: string) => parameters[name],
		getCredentials: async () => ({}),
		getExecutionCancelSignal: () => stop.signal,
		makeRoutingRequest: jest.fn(async () => await Promise.reject(notReady)),
	};
	const waiting = waitForReplay.call(context as unknown as IExecutePaginationFunctions, {} as never);
	const ended = expect(waiting).rejects.toThrow('The execution was stopped while waiting');
	await jest.advanceTimersByTimeAsync(20);
	expect(jest.getTimerCount()).toBe(1);
	stop.abort();
	await jest.advanceTimersByTimeAsync(500);
	await ended;
	expect([jest.getTimerCount(), context.makeRoutingRequest.mock.calls.length]).toEqual([0, 1]);
	jest.useRealTimers();
});

it('the form of Get Replay has options only if there is a video to download', () => {
	const { properties } = new BrowserAutomation().description;
	const ofReplay = properties.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes('getReplay'));
	const [options] = ofReplay.filter(({ name }) => name === 'options');
	expect(options.displayOptions?.show).toMatchObject({ downloadVideo: [true] });
});
