import {
	NodeOperationError,
	type IDataObject,
	type IExecuteSingleFunctions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
} from 'n8n-workflow';

import { describe } from '../../../shared/service-error';
import { sessionFile } from './session-file';

type VideoStream = Parameters<IExecuteSingleFunctions['helpers']['binaryToString']>[0];

const ADVICE =
	'The link of a video works for a short time only: run the node again for a new one, or turn Download Video off';

/** Puts the video of the replay out as binary data where the option *Download Video* is on and there is a video. */
export async function addVideo(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	{ body }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const { mp4_url: url } = Object(body) as IDataObject;
	if (this.getNodeParameter('downloadVideo', false) !== true || typeof url !== 'string' || url === '') return items;
	const stream = await openVideo(this, url);
	const video = await this.helpers
		.prepareBinaryData(
			stream as Parameters<typeof this.helpers.prepareBinaryData>[0],
			sessionFile(this, 'mp4'),
			'video/mp4',
		)
		.catch(() => {
			throw videoError(this, 'The video broke off before it was complete');
		});
	const field = String(this.getNodeParameter('videoField', 'video'));
	return items.map((item) => ({ ...item, binary: { ...item.binary, [field]: video } }));
}

/** Opens the video at its presigned link. The key is not sent along: it belongs to the service, not to its storage. */
async function openVideo(context: IExecuteSingleFunctions, url: string): Promise<VideoStream> {
	if (!/^https?:\/\//i.test(url)) throw videoError(context, 'The link of the video is no http address');
	const answer = (await context.helpers
		.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal: context.getExecutionCancelSignal(),
		})
		.catch(() => {
			// The error of the client is left out: it holds the link, which opens the video to anybody.
			throw videoError(context, 'The storage of the video could not be reached');
		})) as IN8nHttpFullResponse;
	const stream = answer.body as unknown as VideoStream;
	if (answer.statusCode >= 200 && answer.statusCode < 300) return stream;
	const text = await context.helpers.binaryToString(stream).catch(() => '');
	// Object storages answer in XML. The other fields of the answer may hold parts of the link.
	const reason = /<Code>\s*(\w{1,80})\s*<\/Code>/.exec(text)?.[1];
	const status = `The storage of the video answered with status ${answer.statusCode}`;
	throw videoError(context, reason ? `${status}: ${reason}` : status);
}

const videoError = (context: IExecuteSingleFunctions, message: string) =>
	new NodeOperationError(context.getNode(), message, {
		itemIndex: context.getItemIndex(),
		description: describe(message, ADVICE),
	});
