import type { INodeProperties } from 'n8n-workflow';

import { optionsField } from '../../../form/shared-fields';
import { outputField, type Operation } from '../operation';

const downloadVideo: INodeProperties = {
	displayName: 'Download Video',
	name: 'downloadVideo',
	type: 'boolean',
	default: false,
	description: 'Whether to return the video, if there is one, as binary data',
	hint: 'The links in the output expire at expires_at. Download the video to keep it.',
};

export const videoField = outputField('Video Output Data Field Name', 'video', downloadVideo, 'binary video data');

const savePlaylist: INodeProperties = {
	displayName: 'Save Playlist',
	name: 'savePlaylist',
	type: 'boolean',
	default: false,
	description: 'Whether to return the playlist of the video, if there is one, as binary data',
};

export const playlistField = outputField(
	'Playlist Output Data Field Name',
	'playlist',
	savePlaylist,
	'binary playlist data',
);

export const idleTimeout: INodeProperties = {
	displayName: 'Limit: Idle Timeout (Seconds)',
	name: 'idleTimeout',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 300,
	description: 'Seconds without any data of the video before the connection is closed. Set to 0 for no limit.',
};

export const maxVideoSize: INodeProperties = {
	displayName: 'Limit: Video Size (MB)',
	name: 'maxVideoSize',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 512,
	description: 'Maximum size of the video, in megabytes',
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
	file: {
		property: 'playlist_content',
		field: playlistField.name,
		extension: 'm3u8',
		mediaType: 'application/vnd.apple.mpegurl',
	},
	fields: [
		{
			displayName: 'Wait for Recording',
			name: 'waitForRecording',
			type: 'boolean',
			default: false,
			description:
				'Whether to wait until the recording is ready. The service creates it some time after the session ends.',
		},
		{
			displayName: 'Maximum Wait (Seconds)',
			name: 'maximumWait',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 300,
			displayOptions: { show: { waitForRecording: [true] } },
			description: 'Maximum time to wait for the recording',
		},
		downloadVideo,
		videoField,
		savePlaylist,
		playlistField,
		// n8n shows the heading of a list without entries, too.
		{ ...optionsField([idleTimeout, maxVideoSize]), displayOptions: { show: { downloadVideo: [true] } } },
	],
};
