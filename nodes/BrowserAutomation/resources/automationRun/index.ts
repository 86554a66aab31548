import type { INodeProperties } from 'n8n-workflow';

import { noResponseAdvice } from '../../../starts/outcome';
import { returnItems } from '../../routing/return-items';
import { sendOnce, toReader } from '../../routing/send-request';
import { startFields } from './start/fields';
import { keepThreadId } from './start/thread-id';
import { refuseSeveralItems } from './start/refuse-several-items';
import { requireApiKey } from './start/require-api-key';
import { throwStartError } from './start/error';

const sendStart = toReader(sendOnce({ advice: noResponseAdvice, run: { thread_id: null, status: 'interrupted' } }));

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
				description: 'Start or continue a run in the background. Use the node Run Automation to wait for its result.',
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
