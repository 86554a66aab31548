import type { INodeProperties } from 'n8n-workflow';

import { inPath } from '../routing/request-fields';
import type { Operation } from '../routing/operation';

/**
 * An operation that deletes one thing by its ID, the last part of its path, and returns the ID instead of the empty response.
 */
function deleteOperation(
	{ action, description }: Pick<Operation, 'action' | 'description'>,
	url: string,
	property: string,
	field: INodeProperties,
): Operation {
	return {
		...{ name: 'Delete', value: 'delete', action, description },
		request: { method: 'DELETE', url: `${url}/{${property}}` },
		fields: [inPath(property, field)],
		read: (_response, { values }) => [{ json: { deleted: true, [property]: values[field.name] as string } }],
	};
}

export const deleteMailbox = deleteOperation(
	{ action: 'Delete mailbox', description: 'Delete a connected mailbox' },
	'/mailboxes',
	'mailbox_id',
	{
		displayName: 'Mailbox ID',
		name: 'mailboxId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. mailbox_123',
		description: 'ID of the mailbox to delete',
		hint: "Map mailbox_id from 'Create Connect Link'",
	},
);

export const deleteSecret = deleteOperation(
	{ action: 'Delete secret', description: 'Delete a secret by its ID' },
	'/secrets',
	'secret_id',
	{
		displayName: 'Secret ID',
		name: 'id',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. sec_123',
		description: 'ID of the secret, not its name',
		hint: 'Copy it from the list of secrets in the web console of the service',
	},
);
