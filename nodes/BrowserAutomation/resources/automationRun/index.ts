import type { INodeProperties } from 'n8n-workflow';

import { putOutItems } from '../../routing/put-out-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { startFields } from './start';
import { keepThreadId } from './start.keep-thread-id';
import { refuseSeveralItems } from './start.refuse-several-items';

/** Operations on automation runs (contract, 4.2). */
export const automationRun: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['automationRun'] } },
		options: [
			{
				name: 'Start',
				value: 'start',
				action: 'Start automation run',
				description: 'Start or continue a run in the background. Use the node Run Automation to wait for its result.',
				routing: {
					request: {
						method: 'POST',
						baseURL: '={{ $credentials.automationUrl }}',
						url: '/api/anything/start',
						body: { detach: true },
					},
					send: { preSend: [refuseSeveralItems] },
					output: { postReceive: [throwServiceError, keepThreadId, putOutItems] },
				},
			},
		],
		default: 'start',
	},
	...startFields,
];
