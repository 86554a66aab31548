import type { INodeProperties } from 'n8n-workflow';

import { putOutItems } from '../../routing/put-out-items';
import { splitIntoItems } from '../../routing/split-into-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { getReplayFields } from './getReplay';
import { addPlaylist } from './getReplay.add-playlist';
import { addVideo } from './getReplay.add-video';
import { throwReplayError } from './getReplay.throw-replay-error';
import { getScriptFields } from './getScript';
import { addScriptFile } from './getScript.add-script-file';
import { sessionIdField } from './session-id';

/** Operations on sessions (contract, 4.6 and 4.7). */
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
				routing: {
					request: { method: 'GET', url: '/sessions/{session_id}/replay' },
					output: { postReceive: [throwReplayError, addVideo, addPlaylist, putOutItems] },
				},
			},
			{
				name: 'Get Script',
				value: 'getScript',
				action: 'Get session script',
				description: 'Get what a session did as a Python script and a list of actions',
				routing: {
					request: { method: 'GET', url: '/sessions/{session_id}/workflow/code' },
					output: {
						postReceive: [
							throwServiceError,
							addScriptFile,
							splitIntoItems('json_actions', 'splitIntoItems'),
							putOutItems,
						],
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
