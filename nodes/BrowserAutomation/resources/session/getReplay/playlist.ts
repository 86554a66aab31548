import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
} from 'n8n-workflow';

import { refuse } from '../../../routing/refuse';
import { sessionFile } from '../session-file';

/** Refuses the same name for the playlist and the video: one of the two would be lost. */
export async function requireOtherField(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const isVideoWanted = this.getNodeParameter('downloadVideo', false) === true;
	if (isVideoWanted && this.getNodeParameter('videoField', '') === this.getNodeParameter('playlistField', '')) {
		throw refuse(
			this,
			'Playlist Output Data Field Name is the same as Video Output Data Field Name',
			'Enter different names',
		);
	}
	return request;
}

/** Adds the playlist of the replay as binary data if *Save Playlist* is on and there is a playlist. */
export async function addPlaylist(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	{ body }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const { playlist_content: content } = Object(body) as IDataObject;
	if (this.getNodeParameter('savePlaylist', false) !== true || typeof content !== 'string') return items;
	const file = Buffer.from(content, 'utf8');
	const playlist = await this.helpers.prepareBinaryData(
		file,
		sessionFile(this, 'm3u8'),
		'application/vnd.apple.mpegurl',
	);
	const field = String(this.getNodeParameter('playlistField', 'playlist'));
	return items.map((item) => ({ ...item, binary: { ...item.binary, [field]: playlist } }));
}
