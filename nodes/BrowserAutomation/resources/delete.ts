import { inPath, type Operation } from './operation';

export const deleteMailbox: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete mailbox',
	description: 'Delete a connected mailbox',
	request: { method: 'DELETE', url: '/mailboxes/{mailbox_id}' },
	fields: [
		inPath('mailbox_id', {
			displayName: 'Mailbox ID',
			name: 'mailboxId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. mailbox_123',
			description: 'ID of the mailbox to delete',
			hint: "Map mailbox_id from 'Create Connect Link'",
		}),
	],
};

export const deleteSecret: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete secret',
	description: 'Delete a secret by its ID',
	request: { method: 'DELETE', url: '/secrets/{secret_id}' },
	fields: [
		inPath('secret_id', {
			displayName: 'Secret ID',
			name: 'id',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. sec_123',
			description: 'ID of the secret, not its name',
			hint: 'Copy it from the list of secrets in the web console of the service',
		}),
	],
};
