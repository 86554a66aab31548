import type { INodeProperties } from 'n8n-workflow';

import { optionalHeader, requiredText } from '../../routing/text-field';

const show = { resource: ['payment'], operation: ['connectWallet'] };

/** The form of Connect Wallet. */
export const connectWalletFields: INodeProperties[] = [
	{
		displayName:
			'Ask the wallet owner to open <code>connection_url</code> and to continue only if the page shows the same phrase as <code>connection_phrase</code>.',
		name: 'connectWalletNotice',
		type: 'notice',
		default: '',
		displayOptions: { show },
	},
	{
		displayName: 'Mode',
		name: 'mode',
		type: 'options',
		options: [
			{ name: 'Live', value: 'live', description: 'Pay with real money' },
			{ name: 'Test', value: 'test', description: 'Try it out without real money' },
		],
		// The service uses Live by default. Real money is a deliberate choice here.
		default: 'test',
		displayOptions: { show },
		description: 'Choose Live to let agents pay with real money',
		routing: requiredText('body', 'mode', 'Mode'),
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
				displayName: 'Request Origin',
				name: 'requestOrigin',
				type: 'string',
				default: '',
				placeholder: 'e.g. my-workflow',
				description: 'Origin of the request, sent in the header x-service-request-origin',
				routing: optionalHeader('x-service-request-origin', 'Request Origin'),
			},
			{
				displayName: 'SDK Version',
				name: 'sdkVersion',
				type: 'string',
				default: '',
				placeholder: 'e.g. 1.9.2',
				description: 'Version of your SDK, sent in the header x-service-sdk-version',
				routing: optionalHeader('x-service-sdk-version', 'SDK Version'),
			},
		],
	},
];
