// The declarations of secrets (contract 4.8 and 4.10).

import { choiceField, notice, switchField } from '../../shared/form/fields';
import { inPath, inQuery, type Operation, type Resource } from './operation';

const deleteSecret: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete secret',
	description: 'Delete a secret by its ID',
	propertyHint: 'Returns deleted and secret_id.',
	routing: { request: { method: 'DELETE', url: '/secrets/{secret_id}' } },
	fields: [
		inPath('secret_id', 'Secret ID', 'id', {
			placeholder: 'e.g. sec_123',
			description: 'ID of the secret, not its name',
			hint: "Copy it from the secret list in the service's web console",
		}),
	],
};

export const getSecret: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get secret',
	description: 'Get the value of a secret by its name',
	propertyHint:
		'Returns value, the secret in plain text, which later nodes and the stored execution can read. Only if the user asks for the value: do not execute it to learn its output.',
	routing: { request: { method: 'GET', url: '/secrets/{name}' } },
	returns: ['value'],
	fields: [
		notice('getNotice', 'The secret value is saved with the execution. Anyone who can open the execution may see it.'),
		switchField('Allow AI Agents to Read Value', 'allowAgent', {
			// Otherwise, n8n offers to let the agent decide.
			noDataExpression: true,
			displayOptions: { show: { '@tool': [true] } },
			description: 'Whether an agent that uses this tool receives the value. The agent may repeat it in its answers.',
		}),
		inPath('name', 'Name', 'name', {
			placeholder: 'e.g. SHOP_PASSWORD',
			description: "Name of the secret, not its ID. Find it in the secret list in the service's web console.",
		}),
		choiceField('Namespace', 'namespace', {
			isRequired: true,
			routing: inQuery('namespace'),
			options: [
				{ name: 'Functions', value: 'function_env', description: 'Secrets for automation functions' },
				{ name: 'LLM Provider', value: 'llm_provider', description: 'Keys of language model providers' },
			],
			default: 'function_env',
			description: 'Namespace that contains the secret',
		}),
	],
};

export const secret: Resource = {
	name: 'Secret',
	value: 'secret',
	operations: [deleteSecret, getSecret],
	default: getSecret.value,
};
