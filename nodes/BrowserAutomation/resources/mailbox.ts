// The declarations of mailboxes (contract 4.4 and 4.9).

import { choiceField, optionsField, required, textField } from '../../shared/form/fields';
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
		required(
			textField('Success Redirect URI', 'successRedirectUri', {
				routing: inBody('success_redirect_uri'),
				placeholder: 'e.g. {{ $execution.resumeUrl }}&outcome=success',
				description:
					"Page to open once the mailbox is connected. To use the example, switch the field to 'Expression'. The Wait node returns the outcome as query.outcome.",
				hint: 'To continue this workflow, enter the resume URL of a Wait node (method GET) here and in the next field',
			}),
		),
		required(
			textField('Error Redirect URI', 'errorRedirectUri', {
				routing: inBody('error_redirect_uri'),
				placeholder: 'e.g. {{ $execution.resumeUrl }}&outcome=error',
				description: "Page to open if connecting fails. To use the example, switch the field to 'Expression'.",
			}),
		),
		required(
			textField('Allowed Origin', 'allowedOrigin', {
				routing: inBody('allowed_origin'),
				placeholder: 'e.g. https://app.example.com',
				hint: 'Origin of the page that shows the link. If you send the link in a message, enter the origin of your n8n.',
				description: 'The service accepts the link only from this origin',
			}),
		),
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
