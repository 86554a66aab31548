import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { Failed, quoted } from '../../errors/failure';
import { stopSignalOf, Watchdog, type Body } from '../../execution/watchdog';
import { openFile, pieceCounter, TooLarge } from '../../files/fetch-file';
import { idleTimeout, maxVideoSize, videoField } from '../resources/session/getReplay';
import type { Call } from './call';
import { withFile, type FileContent } from './read-response';

/** What n8n's client hands over is a stream of Node.js. */
type Video = { map(change: (piece: Uint8Array) => Uint8Array): FileContent };

const failed = (
	reason: string,
	advice = 'Video links expire after a short time. Run the node again to get a new link',
) => new Failed({ reason, advice });

/** Adds the video of the replay to an item as binary data if *Download Video* is on and there is a video. */
export async function addVideo(call: Call, item: INodeExecutionData, body: unknown): Promise<INodeExecutionData> {
	const { context, values } = call;
	const { mp4_url: url } = Object(body) as IDataObject;
	if (!values.downloadVideo || typeof url !== 'string' || url === '') return item;
	const idle = (values[idleTimeout.name] as number) * 1000 || Infinity;
	const watchdog = new Watchdog({ idle, total: Infinity }, stopSignalOf(context));
	try {
		const stream = (await openVideo(context, url, watchdog)) as unknown as Video;
		// As it is received, so that it is never held whole.
		const video = stream.map(pieceCounter((values[maxVideoSize.name] as number) * 1e6, watchdog));
		return await withFile(call, item, { field: videoField.name, extension: 'mp4', mediaType: 'video/mp4' }, video);
	} catch (error) {
		throw videoFailure(error, watchdog);
	} finally {
		watchdog.close();
	}
}

/** Opens the video at its presigned link. The key is not sent along: it belongs to the service, not to its storage. */
async function openVideo(context: IExecuteSingleFunctions, url: string, watchdog: Watchdog): Promise<Body> {
	if (!/^https?:\/\//i.test(url)) throw failed('The link to the video is not valid');
	const file = await openFile(context, url, watchdog).catch(() => {
		// Without the error of the client: it contains the link, which opens the video to anyone.
		throw watchdog.expired ? new Error() : failed('No response from the video storage');
	});
	if (file.body) return file.body;
	// Object storages respond in XML. The other fields of the response may hold parts of the link.
	const reason = /<Code>\s*(\w{1,80})\s*<\/Code>/.exec(file.page)?.[1];
	const status = `status ${file.statusCode}`;
	throw failed(`The video storage refused the download (${reason ? `${reason}, ${status}` : status})`);
}

function videoFailure(error: unknown, { expired }: Watchdog): Failed {
	if (error instanceof Failed) return error;
	const raise = (field: INodeProperties) => `Raise ${quoted(field.displayName)}, or use the link in the output`;
	if (error instanceof TooLarge) return failed('The video is too large', raise(maxVideoSize));
	if (expired) return failed('The video storage sent no data for too long', raise(idleTimeout));
	return failed('The video download was interrupted');
}
