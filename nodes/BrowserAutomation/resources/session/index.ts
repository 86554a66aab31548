import type { INodeProperties } from 'n8n-workflow';

import { returnItems } from '../../routing/return-items';
import { splitIntoItems } from '../../routing/split-into-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { addTextFile } from './add-file';
import { getReplayFields } from './getReplay/fields';
import { addVideo } from './getReplay/video';
import { throwReplayError } from './getReplay/error';
import { getScriptFields } from './getScript/fields';
import { sessionIdField } from './session-id';

const addPlaylist = addTextFile(
	'playlist_content',
	{ isWanted: 'savePlaylist', field: 'playlistField' },
	'm3u8',
	'application/vnd.apple.mpegurl',
);
const addScript = addTextFile(
	'python_script',
	{ isWanted: 'addScriptFile', field: 'scriptField' },
	'py',
	'text/x-python',
);

/** Operations on sessions. */
export const session: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['session'] } },
		options: [
			{
				name: 'Get Replay',
				value: 'getReplay',
				action: 'Get session replay',
				description: 'Get the recording of a session that has ended',
				builderHint: {
					propertyHint:
						'Returns links that expire and, if chosen, the video and the playlist as binary data. Ask the user for the session ID, or map it from a field that holds one; no operation of this package lists sessions.',
				},
				routing: {
					request: { method: 'GET', url: '/sessions/{session_id}/replay' },
					output: { postReceive: [throwReplayError, addVideo, addPlaylist, returnItems] },
				},
			},
			{
				name: 'Get Script',
				value: 'getScript',
				action: 'Get session script',
				description: 'Get the actions of a session as a list and as a Python script',
				routing: {
					request: { method: 'GET', url: '/sessions/{session_id}/workflow/code' },
					output: {
						postReceive: [throwServiceError, addScript, splitIntoItems('json_actions', 'splitIntoItems'), returnItems],
					},
				},
			},
		],
		default: 'getReplay',
	},
	sessionIdField,
	...getReplayFields,
	...getScriptFields,
];
