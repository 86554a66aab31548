import type { INodeProperties, PreSendAction } from 'n8n-workflow';

import { refused, quoted } from '../../../../errors/failure';
import { isOn, readField, requiredHere } from '../../../routing/request-fields';
import type { Operation } from '../../../routing/operation';
import { addTextFile } from '../files';
import { addVideo, downloadVideo, videoLimits } from './video';
import { explainState, maximumWait, waitForRecording, waitForReplay } from './wait';

const savePlaylist: INodeProperties = {
	displayName: 'Save Playlist',
	name: 'savePlaylist',
	type: 'boolean',
	default: false,
	description: 'Whether to return the playlist of the video, if there is one, as binary data',
};

const addPlaylist = addTextFile(
	'playlist_content',
	{ isWanted: savePlaylist, field: 'playlistField' },
	'm3u8',
	'application/vnd.apple.mpegurl',
);

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
const requireOtherField: PreSendAction = async function (request) {
	if (isOn(this, downloadVideo) && readField(this, videoField) === readField(this, playlistField)) {
		const [playlist, video] = [playlistField, videoField].map(({ displayName }) => quoted(displayName));
		throw refused(`${playlist} is the same as ${video}`, 'Enter different names');
	}
	return request;
};

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
	send: waitForReplay,
	explain: explainState,
	read: [addVideo, addPlaylist],
	fields: [
		waitForRecording,
		maximumWait,
		downloadVideo,
		requiredHere(videoField),
		savePlaylist,
		requiredHere(playlistField, requireOtherField),
	],
	options: videoLimits,
	optionsIf: { show: { downloadVideo: [true] } },
};
