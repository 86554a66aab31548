import type { IN8nHttpFullResponse, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { refused, quoted } from '../../../../errors/failure';
import type { Call, Operation } from '../../../routing/operation';
import { itemsOf } from '../../../routing/read-response';
import { addTextFile, NO_SESSION } from '../files';
import { addVideo, downloadVideo, videoLimits } from './video';
import { explainState, maximumWait, waitForRecording, waitForReplay } from './wait';

const savePlaylist: INodeProperties = {
	displayName: 'Save Playlist',
	name: 'savePlaylist',
	type: 'boolean',
	default: false,
	description: 'Whether to return the playlist of the video, if there is one, as binary data',
};

const playlist = {
	property: 'playlist_content',
	isWanted: savePlaylist,
	field: 'playlistField',
	extension: 'm3u8',
	mediaType: 'application/vnd.apple.mpegurl',
};

const videoField: INodeProperties = {
	displayName: 'Video Output Data Field Name',
	name: 'videoField',
	type: 'string',
	default: 'video',
	required: true,
	displayOptions: { show: { downloadVideo: [true] } },
	hint: 'The name of the output field to put the binary video data in',
};

const playlistField: INodeProperties = {
	displayName: 'Playlist Output Data Field Name',
	name: 'playlistField',
	type: 'string',
	default: 'playlist',
	required: true,
	displayOptions: { show: { savePlaylist: [true] } },
	hint: 'The name of the output field to put the binary playlist data in',
};

/** Refuses the same name for the playlist and the video: one of the two would be lost. */
function requireOtherField({ values }: Call): void {
	const video = values[videoField.name];
	if (video === undefined || video !== values[playlistField.name]) return;
	const labels = [playlistField, videoField].map(({ displayName }) => quoted(displayName));
	throw refused(`${labels.join(' is the same as ')}`, 'Enter different names');
}

async function readReplay({ body }: IN8nHttpFullResponse, call: Call): Promise<INodeExecutionData[]> {
	const [item, ...others] = itemsOf(body);
	if (!item) return [];
	return [await addTextFile(call, await addVideo(call, item, body), body, playlist), ...others];
}

export const getReplay: Operation = {
	name: 'Get Replay',
	value: 'getReplay',
	action: 'Get session replay',
	description: 'Get the recording of a session that has ended',
	builderHint: {
		propertyHint:
			'Returns links that expire and, if chosen, the video and the playlist as binary data. Ask the user for the session ID, or map it from a field that holds one; no operation of this package lists sessions.',
	},
	request: { method: 'GET', url: '/sessions/{session_id}/replay' },
	notFound: NO_SESSION,
	prepare: requireOtherField,
	ask: waitForReplay,
	explain: explainState,
	read: readReplay,
	fields: [waitForRecording, maximumWait, downloadVideo, videoField, savePlaylist, playlistField],
	options: videoLimits,
	optionsIf: { show: { downloadVideo: [true] } },
};
