import {
	type IDataObject,
	type IExecuteSingleFunctions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
} from 'n8n-workflow';

import { apiError } from '../../../../errors/node-error';
import { addFile, fileName } from '../files';

type VideoStream = Parameters<IExecuteSingleFunctions['helpers']['binaryToString']>[0];

const ADVICE = 'Video links expire after a short time. Run the node again to get a new link';

/** Adds the video of the replay as binary data if *Download Video* is on and there is a video. */
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
			fileName(this, 'mp4'),
			'video/mp4',
		)
		.catch(() => {
			throw videoError(this, 'The video download was interrupted');
		});
	return addFile(this, items, 'videoField', video);
}

/** Opens the video at its presigned link. The key is not sent along: it belongs to the service, not to its storage. */
async function openVideo(context: IExecuteSingleFunctions, url: string): Promise<VideoStream> {
	if (!/^https?:\/\//i.test(url)) throw videoError(context, 'The link to the video is not valid');
	const response = (await context.helpers
		.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal: context.getExecutionCancelSignal(),
		})
		.catch(() => {
			// Without the error of the client: it contains the link, which opens the video to anyone.
			throw videoError(context, 'No response from the video storage');
		})) as IN8nHttpFullResponse;
	const stream = response.body as unknown as VideoStream;
	if (response.statusCode >= 200 && response.statusCode < 300) return stream;
	const text = await context.helpers.binaryToString(stream).catch(() => '');
	// Object storages respond in XML. The other fields of the response may hold parts of the link.
	const reason = /<Code>\s*(\w{1,80})\s*<\/Code>/.exec(text)?.[1];
	const status = `status ${response.statusCode}`;
	throw videoError(context, `The video storage refused the download (${reason ? `${reason}, ${status}` : status})`);
}

const videoError = (context: IExecuteSingleFunctions, reason: string) =>
	apiError(context.getNode(), { reason, advice: ADVICE, itemIndex: context.getItemIndex() });
