import type { INodeProperties } from 'n8n-workflow';

/** What both nodes offer for the agent of a run; sent unchanged. */
export const agentOptions: INodeProperties[] = [
	{
		displayName: 'Agent: Model',
		name: 'model',
		type: 'string',
		default: '',
		placeholder: 'e.g. large',
		description: 'Name of the model that the agent uses. Leave empty for the default of the service.',
	},
	{
		displayName: 'Agent: Reasoning Effort',
		name: 'reasoningEffort',
		type: 'string',
		default: '',
		placeholder: 'e.g. high',
		description: 'How much the agent thinks before it acts. Leave empty for the default of the service.',
	},
	{
		displayName: 'Agent: Version',
		name: 'version',
		type: 'string',
		default: '',
		placeholder: 'e.g. v2',
		description: 'Version of the automation builder. Leave empty for the one that the service prefers.',
	},
];
