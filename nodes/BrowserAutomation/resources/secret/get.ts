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
			'The value is passed to the next nodes and saved with the execution. Not every version of n8n hides it in the editor.',
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
		description: 'Whether an agent that uses this tool receives the value. The agent may repeat it in its answers.',
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
		displayName: 'Stored In',
		name: 'namespace',
		type: 'options',
		options: [
			{ name: 'Functions', value: 'function_env', description: 'Secrets for automation functions' },
			{ name: 'LLM Provider', value: 'llm_provider', description: 'Keys of language model providers' },
		],
		default: 'function_env',
		required: true,
		displayOptions: { show },
		description: 'Where the service stores the secret',
		routing: requiredText('query', 'namespace', 'Stored In'),
	},
];
