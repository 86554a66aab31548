import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { refuse } from '../../../routing/refuse';

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
