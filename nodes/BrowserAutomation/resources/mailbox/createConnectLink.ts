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
		placeholder: 'e.g. https://app.example.com/mailbox/connected',
		description: 'Where the browser of the person goes after the mailbox was connected',
		routing: requiredText('body', 'success_redirect_uri', 'Success Redirect URI'),
	},
	{
		displayName: 'Error Redirect URI',
		name: 'errorRedirectUri',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. https://app.example.com/mailbox/not-connected',
		description: 'Where the browser of the person goes when the mailbox could not be connected',
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
		description: 'Origin of the page on which the link is opened',
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
					'Connects an existing mailbox again: take it from the mailbox_id that Create Connect Link put out. Leave empty for a new mailbox.',
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
				description: 'Where the mailbox is. An expression may give any other provider.',
				routing: optionalChoice('provider', 'Provider'),
			},
		],
	},
];
