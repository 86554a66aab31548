import type { INodeProperties } from 'n8n-workflow';

import { findThreadIdProblem } from '../../../../inputs/thread-id';
import { refuse } from '../../../routing/refuse';
import { optionalText, readField, requiredText, sendChanged } from '../../../routing/text-field';

const show = { resource: ['automationRun'], operation: ['start'] };

/** The form of Start. */
export const startFields: INodeProperties[] = [
	{
		displayName:
			'Every start is billed. <i>Retry On Fail</i> of this node does not repeat it. Pin the output while you build the next nodes.',
		name: 'startNotice',
		type: 'notice',
		default: '',
		displayOptions: { show, hide: { authentication: ['oAuth2Password'] } },
	},
	{
		displayName:
			'Runs are started with an API key. Choose a credential of the type <i>Browser Automation API</i> above.',
		name: 'apiKeyNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { ...show, authentication: ['oAuth2Password'] } },
	},
	{
		displayName: 'Task',
		name: 'query',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. Open example.com and find the three cheapest offers',
		description: 'What the agent should do, in plain language',
		routing: requiredText('body', 'query', 'Task'),
	},
	{
		displayName: 'Thread ID',
		name: 'threadId',
		type: 'string',
		default: '',
		displayOptions: { show },
		placeholder: 'e.g. 8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
		description: 'Continues an earlier run. Map thread_id from that run.',
		hint: 'Leave empty to start a new thread',
		routing: sendChanged('body', 'thread_id', (context, value) => {
			const threadId = readField(context, value, 'Thread ID');
			const found = threadId === '' ? undefined : findThreadIdProblem(threadId);
			if (found) throw refuse(context, found.problem, found.advice);
			return threadId || undefined;
		}),
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			{
				displayName: 'Model',
				name: 'model',
				type: 'string',
				default: '',
				description: 'Name of the model that the agent uses. Leave empty for the default of the service.',
				routing: optionalText('model', 'Model'),
			},
			{
				displayName: 'Reasoning Effort',
				name: 'reasoningEffort',
				type: 'string',
				default: '',
				placeholder: 'e.g. high',
				description: 'How much the agent thinks before it acts. Leave empty for the default of the service.',
				routing: optionalText('reasoningEffort', 'Reasoning Effort'),
			},
			{
				displayName: 'Version',
				name: 'version',
				type: 'string',
				default: 'v2',
				placeholder: 'e.g. v2',
				description: 'Version of the automation builder. Leave empty for the one that the service prefers.',
				routing: optionalText('version', 'Version'),
			},
		],
	},
];
