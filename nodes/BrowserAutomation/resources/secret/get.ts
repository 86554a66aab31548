import type { INodeProperties, PreSendAction } from 'n8n-workflow';

import { isUsedAsTool } from '../../../errors/reader';
import { pathValue } from '../../routing/path-value';
import { refuse } from '../../routing/refuse';
import { requiredText } from '../../routing/text-field';

const show = { resource: ['secret'], operation: ['get'] };

/** Keeps the value of a secret from an AI agent, which could repeat it anywhere, unless the user allows it. */
export const refuseAgent: PreSendAction = async function (request) {
	if (!isUsedAsTool(this) || this.getNodeParameter('allowAgent', false) === true) return request;
	throw refuse(
		this,
		'This secret is withheld from AI agents',
		'Do the task without it. A person can turn on Allow AI Agents to Read the Value in this tool',
	);
};

/** The form of Get. */
export const getFields: INodeProperties[] = [
	{
		displayName:
			'The value goes to the nodes that follow and is saved with the execution. Only versions of n8n that hide sensitive fields hide it in the editor, and only in the output of this node.',
		name: 'getNotice',
		type: 'notice',
		default: '',
		displayOptions: { show },
	},
	{
		displayName: 'Allow AI Agents to Read the Value',
		name: 'allowAgent',
		type: 'boolean',
		default: false,
		displayOptions: { show: { ...show, '@tool': [true] } },
		description: 'Whether the agent that uses this tool is given the value. It may repeat it in its answers.',
	},
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. SHOP_PASSWORD',
		description: 'Name of the secret, not its ID. Find it in the list of secrets in the web console of the service.',
		routing: pathValue('name', 'Name'),
	},
	{
		displayName: 'Namespace',
		name: 'namespace',
		type: 'options',
		options: [
			{ name: 'Function Environment', value: 'function_env', description: 'Secrets that automation functions use' },
			{ name: 'LLM Provider', value: 'llm_provider', description: 'Keys of the providers of language models' },
		],
		default: 'function_env',
		required: true,
		displayOptions: { show },
		description: 'Where the secret is kept. An expression may give any other namespace.',
		routing: requiredText('query', 'namespace', 'Namespace'),
	},
];
