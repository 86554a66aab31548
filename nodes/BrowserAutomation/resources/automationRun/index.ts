import type { INodeProperties } from 'n8n-workflow';

import { returnItems } from '../../routing/return-items';
import { startFields } from './start/fields';
import { keepThreadId } from './start/thread-id';
import { refuseSeveralItems } from './start/refuse-several-items';
import { requireApiKey } from './start/require-api-key';
import { sendStart } from './start/send';
import { throwStartError } from './start/error';

/** Operations on automation runs. */
export const automationRun: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['automationRun'] } },
		// Here and not at the option, where older versions of n8n do not know the credential.
		routing: { request: { baseURL: '={{ $credentials.automationUrl }}' } },
		options: [
			{
				name: 'Start',
				value: 'start',
				action: 'Start automation run',
				description: 'Start or continue a run in the background. To get its result, use the node Run Automation.',
				builderHint: {
					propertyHint:
						'Each item starts a billed run that takes minutes. Returns thread_id, url and status "started" at once, never the result. To get the result, use the node Run Automation, also for a thread started here (Thread ID).',
				},
				routing: {
					request: {
						method: 'POST',
						url: '/api/anything/start',
						body: { detach: true },
					},
					send: { preSend: [requireApiKey, refuseSeveralItems] },
					operations: { pagination: sendStart },
					output: { postReceive: [throwStartError, keepThreadId, returnItems] },
				},
			},
		],
		default: 'start',
	},
	...startFields,
];
