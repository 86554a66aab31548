/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { Readable } from 'node:stream';

import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { addVideo } from '../../nodes/BrowserAutomation/resources/session/getReplay/video';

it('hands the stream of the video on as it is, so that it is never held whole', async () => {
	const body = Readable.from(['film']);
	const httpRequest = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
	const film = { data: 'id', mimeType: 'video/mp4' };
	const prepareBinaryData = jest.fn(async () => film);
	const parameters: Record<string, unknown> = { downloadVideo: true, videoField: 'film', sessionId: 's/1' };
	const context = {
		getNodeParameter: (name: string) => parameters[name],
		getExecutionCancelSignal: () => undefined,
		helpers: { httpRequest, prepareBinaryData },
	} as unknown as IExecuteSingleFunctions;
	const answer = { statusCode: 200, headers: {}, body: { mp4_url: 'https://storage.example.test/v' } };
	expect(await addVideo.call(context, [{ json: {} }], answer)).toEqual([{ json: {}, binary: { film } }]);
	expect(prepareBinaryData).toHaveBeenCalledWith(body, 's_1.mp4', 'video/mp4');
	expect(httpRequest).toHaveBeenCalledWith(expect.objectContaining({ encoding: 'stream' }));
});
