import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { pathValue } from '../../routing/path-value';

/** The session that an operation is about, as the `session_id` of its path (contract, 4.6 and 4.7). */
export const sessionIdField = (displayOptions: IDisplayOptions): INodeProperties => ({
	displayName: 'Session ID',
	name: 'sessionId',
	type: 'string',
	default: '',
	required: true,
	displayOptions,
	placeholder: 'e.g. session_123',
	description: 'ID of the session. Find it in the list of sessions in the web console of the service.',
	routing: { send: { preSend: [pathValue('session_id', 'sessionId', 'Session ID')] } },
});
