import type { INodeProperties } from 'n8n-workflow';

import { optionalChoice, optionalText, requiredText } from '../../routing/text-field';

const show = { resource: ['mailbox'], operation: ['createConnectLink'] };

/** The form of Create Connect Link. */
export const createConnectLinkFields: INodeProperties[] = [
	{
		displayName: 'Success Redirect URI',
		name: 'successRedirectUri',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. {{ $execution.resumeUrl }}&outcome=success',
		description:
			'Page to open after the mailbox is connected. The resume address in the example continues this workflow at a Wait node that waits for a GET request.',
		routing: requiredText('body', 'success_redirect_uri', 'Success Redirect URI'),
	},
	{
		displayName: 'Error Redirect URI',
		name: 'errorRedirectUri',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. {{ $execution.resumeUrl }}&outcome=error',
		description:
			'Page to open if the mailbox cannot be connected. With the resume address in the example, the Wait node returns the outcome as query.outcome.',
		routing: requiredText('body', 'error_redirect_uri', 'Error Redirect URI'),
	},
	{
		displayName: 'Allowed Origin',
		name: 'allowedOrigin',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. https://app.example.com',
		description:
			'Address of the page that opens the link, without a path. If you send the link in a message, enter the address of your n8n.',
		routing: requiredText('body', 'allowed_origin', 'Allowed Origin'),
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			{
				displayName: 'Mailbox ID',
				name: 'mailboxId',
				type: 'string',
				default: '',
				placeholder: 'e.g. mailbox_123',
				description:
					'ID of the mailbox to reconnect. Map mailbox_id from Create Connect Link, or leave empty for a new mailbox.',
				routing: optionalText('mailbox_id', 'Mailbox ID'),
			},
			{
				displayName: 'Provider',
				name: 'provider',
				type: 'options',
				options: [
					{ name: 'Gmail', value: 'gmail' },
					{ name: 'Microsoft Outlook', value: 'microsoft_outlook' },
				],
				default: 'gmail',
				description: 'Provider of the mailbox',
				routing: optionalChoice('provider', 'Provider'),
			},
		],
	},
];
