// The declarations of mailboxes (contract 4.4 and 4.9).

import { choiceField, optionsField, textField } from '../../shared/form/fields';
import { inBody, inPath, type Operation, type Resource } from './operation';

export const createConnectLink: Operation = {
	name: 'Create Connect Link',
	value: 'createConnectLink',
	action: 'Create mailbox connect link',
	description:
		'Create a link to connect a mailbox. Ask its owner to open connect_link_url and sign in before expires_at.',
	propertyHint: 'Returns connect_link_url, mailbox_id and expires_at.',
	routing: { request: { method: 'POST', url: '/mailboxes/connect-token' } },
	returns: ['connect_link_url', 'mailbox_id', 'expires_at'],
	fields: [
		choiceField('Provider', 'provider', {
			routing: inBody('provider'),
			options: [
				{ name: 'Gmail', value: 'gmail' },
				{ name: 'Microsoft Outlook', value: 'microsoft_outlook' },
			],
			default: 'gmail',
			description: 'Provider of the mailbox',
		}),
		textField('Success Redirect URI', 'successRedirectUri', {
			isRequired: true,
			routing: inBody('success_redirect_uri'),
			placeholder: 'e.g. https://app.example.com/connected',
			description: 'Page to open once the mailbox is connected. A Wait node returns the outcome as query.outcome.',
			hint: "To continue at a Wait node (GET), switch to 'Expression': {{ $execution.resumeUrl }}&outcome=success",
		}),
		textField('Error Redirect URI', 'errorRedirectUri', {
			isRequired: true,
			routing: inBody('error_redirect_uri'),
			placeholder: 'e.g. https://app.example.com/not-connected',
			description: 'Page to open if connecting fails',
			hint: "To continue at a Wait node (GET), switch to 'Expression': {{ $execution.resumeUrl }}&outcome=error",
		}),
		textField('Allowed Origin', 'allowedOrigin', {
			isRequired: true,
			routing: inBody('allowed_origin'),
			placeholder: 'e.g. https://app.example.com',
			hint: 'Origin of the page that shows the link. If you send the link in a message, enter the origin of your n8n.',
			description: 'The service accepts the link only from this origin',
		}),
		optionsField([
			textField('Mailbox ID', 'mailboxId', {
				routing: inBody('mailbox_id'),
				placeholder: 'e.g. mailbox_123',
				description:
					"ID of the mailbox to reconnect. Map mailbox_id from 'Create Connect Link', or leave empty for a new mailbox.",
			}),
		]),
	],
};

const deleteMailbox: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete mailbox',
	description: 'Delete a connected mailbox',
	propertyHint: 'Returns deleted and mailbox_id.',
	routing: { request: { method: 'DELETE', url: '/mailboxes/{mailbox_id}' } },
	fields: [
		inPath('mailbox_id', 'Mailbox ID', 'mailboxId', {
			placeholder: 'e.g. mailbox_123',
			description: 'ID of the mailbox to delete',
			hint: "Map mailbox_id from 'Create Connect Link'",
		}),
	],
};

export const mailbox: Resource = {
	name: 'Mailbox',
	value: 'mailbox',
	operations: [createConnectLink, deleteMailbox],
};
