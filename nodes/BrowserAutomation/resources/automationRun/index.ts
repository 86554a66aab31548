import type { INodeProperties } from 'n8n-workflow';

import { putOutItems } from '../../routing/put-out-items';
import { sendWithAdvice } from '../../routing/send-request';
import { startFields } from './start';
import { keepThreadId } from './start.keep-thread-id';
import { refuseSeveralItems } from './start.refuse-several-items';
import { requireApiKey } from './start.require-api-key';
import { throwStartError } from './start.throw-start-error';

const NO_ANSWER_ADVICE =
	'Check the Automation URL. If the service was reached, the run may have started: look for it in the web console before you start it again';

/** Operations on automation runs (contract, 4.2). */
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
					operations: { pagination: sendWithAdvice(NO_ANSWER_ADVICE, 'automationUrl') },
					output: { postReceive: [throwStartError, keepThreadId, putOutItems] },
				},
			},
		],
		default: 'start',
	},
	...startFields,
];
