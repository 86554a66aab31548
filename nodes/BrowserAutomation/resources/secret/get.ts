import type { INodeProperties } from 'n8n-workflow';

import { refused } from '../../../errors/failure';
import { isUsedAsTool } from '../../../execution/execution-context';
import { inPath, sent } from '../../routing/request-fields';
import type { Call, Operation } from '../../routing/operation';

const allowAgent: INodeProperties = {
	displayName: 'Allow AI Agents to Read the Value',
	name: 'allowAgent',
	type: 'boolean',
	default: false,
	displayOptions: { show: { '@tool': [true] } },
	description: 'Whether an agent that uses this tool receives the value. The agent may repeat it in its answers.',
};

/** Keeps the value of a secret from an AI agent, which could repeat it anywhere, unless the user allows it. */
function refuseAgent({ context, values }: Call): void {
	if (!isUsedAsTool(context) || values[allowAgent.name]) return;
	throw refused(
		'This secret is withheld from AI agents',
		"Do the task without it. A person can turn on 'Allow AI Agents to Read the Value' in this tool",
	);
}

export const getSecret: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get secret',
	description: 'Get the value of a secret by its name',
	builderHint: {
		propertyHint:
			'Returns the secret in plain text, where every later node and the stored execution can read it. Use it only if the user asks for the value.',
	},
	request: { method: 'GET', url: '/secrets/{name}' },
	prepare: refuseAgent,
	fields: [
		{
			displayName:
				'The value is passed to the next nodes and saved with the execution. In some versions of n8n, anyone who can open the execution sees it. Where it is hidden, <code>{{ $json.value }}</code> still works in the next nodes.',
			name: 'getNotice',
			type: 'notice',
			default: '',
		},
		allowAgent,
		inPath('name', {
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. SHOP_PASSWORD',
			description: 'Name of the secret, not its ID. Find it in the list of secrets in the web console of the service.',
		}),
		sent('query', 'namespace', {
			displayName: 'Stored In',
			name: 'namespace',
			type: 'options',
			options: [
				{ name: 'Functions', value: 'function_env', description: 'Secrets for automation functions' },
				{ name: 'LLM Provider', value: 'llm_provider', description: 'Keys of language model providers' },
			],
			default: 'function_env',
			required: true,
			description: 'Where the service stores the secret',
		}),
	],
};
