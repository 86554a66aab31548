import type { INodeProperties } from 'n8n-workflow';

import { pathValue } from '../../routing/path-value';

/** The session that every operation is about, as the `session_id` of its path. */
export const sessionIdField: INodeProperties = {
	displayName: 'Session ID',
	name: 'sessionId',
	type: 'string',
	default: '',
	required: true,
	displayOptions: { show: { resource: ['session'] } },
	placeholder: 'e.g. session_123',
	description: 'ID of the cloud browser session. A run reports only its thread.',
	hint: 'Copy it from the list of sessions in the web console of the service',
	routing: pathValue('session_id', 'Session ID'),
};
