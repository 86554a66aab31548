import { optionalChoice, optionalText, requiredText } from '../../routing/fields';
import type { Operation } from '../../routing/operation';
import { returnItems, throwServiceError } from '../../routing/read-response';

export const createConnectLink: Operation = {
	name: 'Create Connect Link',
	value: 'createConnectLink',
	action: 'Create mailbox connect link',
	description:
		'Create a link to connect a mailbox. Ask its owner to open connect_link_url and sign in before expires_at.',
	routing: {
		request: { method: 'POST', url: '/mailboxes/connect-token' },
		output: { postReceive: [throwServiceError, returnItems] },
	},
	fields: [
		requiredText('body', 'success_redirect_uri', {
			displayName: 'Success Redirect URI',
			name: 'successRedirectUri',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $execution.resumeUrl }}&outcome=success',
			description:
				'Page to open after the mailbox is connected. The resume address in the example continues this workflow at a Wait node that waits for a GET request.',
		}),
		requiredText('body', 'error_redirect_uri', {
			displayName: 'Error Redirect URI',
			name: 'errorRedirectUri',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $execution.resumeUrl }}&outcome=error',
			description:
				'Page to open if the mailbox cannot be connected. With the resume address in the example, the Wait node returns the outcome as query.outcome.',
		}),
		requiredText('body', 'allowed_origin', {
			displayName: 'Allowed Origin',
			name: 'allowedOrigin',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://app.example.com',
			description:
				'Address of the page that opens the link, without a path. If you send the link in a message, enter the address of your n8n.',
		}),
	],
	options: [
		optionalText('mailbox_id', {
			displayName: 'Mailbox ID',
			name: 'mailboxId',
			type: 'string',
			default: '',
			placeholder: 'e.g. mailbox_123',
			description:
				'ID of the mailbox to reconnect. Map mailbox_id from Create Connect Link, or leave empty for a new mailbox.',
		}),
		optionalChoice('provider', {
			displayName: 'Provider',
			name: 'provider',
			type: 'options',
			options: [
				{ name: 'Gmail', value: 'gmail' },
				{ name: 'Microsoft Outlook', value: 'microsoft_outlook' },
			],
			default: 'gmail',
			description: 'Provider of the mailbox',
		}),
	],
};
