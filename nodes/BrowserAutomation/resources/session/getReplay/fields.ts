import type { INodeProperties } from 'n8n-workflow';

import { requireText } from '../../../routing/text-field';
import { requireOtherField } from './other-field';
import { waitForReplay } from './wait';

const show = { resource: ['session'], operation: ['getReplay'] };

/** The form of Get Replay. */
export const getReplayFields: INodeProperties[] = [
	{
		displayName: 'Wait for Recording',
		name: 'waitForRecording',
		type: 'boolean',
		default: false,
		displayOptions: { show },
		description:
			'Whether to wait until the recording is ready. The service creates it some time after the session ends.',
		routing: { operations: { pagination: waitForReplay } },
	},
	{
		displayName: 'Maximum Wait (Seconds)',
		name: 'maximumWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 300,
		displayOptions: { show: { ...show, waitForRecording: [true] } },
		description: 'Maximum time to wait for the recording',
	},
	{
		displayName: 'Download Video',
		name: 'downloadVideo',
		type: 'boolean',
		default: false,
		displayOptions: { show },
		description: 'Whether to return the video, if there is one, as binary data',
		hint: 'The links in the output expire at expires_at. Download the video to keep it.',
	},
	{
		displayName: 'Video Output Data Field Name',
		name: 'videoField',
		type: 'string',
		default: 'video',
		required: true,
		displayOptions: { show: { ...show, downloadVideo: [true] } },
		hint: 'The name of the output field to put the binary video data in',
		routing: { send: { preSend: [requireText('videoField', 'Video Output Data Field Name')] } },
	},
	{
		displayName: 'Save Playlist',
		name: 'savePlaylist',
		type: 'boolean',
		default: false,
		displayOptions: { show },
		description: 'Whether to return the playlist of the video, if there is one, as binary data',
	},
	{
		displayName: 'Playlist Output Data Field Name',
		name: 'playlistField',
		type: 'string',
		default: 'playlist',
		required: true,
		displayOptions: { show: { ...show, savePlaylist: [true] } },
		hint: 'The name of the output field to put the binary playlist data in',
		routing: {
			send: { preSend: [requireText('playlistField', 'Playlist Output Data Field Name'), requireOtherField] },
		},
	},
];
