import type { INodeProperties } from 'n8n-workflow';

import { optionalHeader, requiredText } from '../../routing/text-field';

const show = { resource: ['payment'], operation: ['connectWallet'] };

/** The form of Connect Wallet. */
export const connectWalletFields: INodeProperties[] = [
	{
		displayName: 'Mode',
		name: 'mode',
		type: 'options',
		options: [
			{ name: 'Live', value: 'live', description: 'Real money' },
			{ name: 'Test', value: 'test', description: 'For trying out, without real money' },
		],
		default: 'live',
		displayOptions: { show },
		description: 'Whether the wallet pays with real money',
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
				description: 'Tells the service where the request comes from, in the header x-service-request-origin',
				routing: optionalHeader('x-service-request-origin', 'Request Origin'),
			},
			{
				displayName: 'SDK Version',
				name: 'sdkVersion',
				type: 'string',
				default: '',
				placeholder: 'e.g. 1.9.2',
				description: 'Tells the service the version of its client, in the header x-service-sdk-version',
				routing: optionalHeader('x-service-sdk-version', 'SDK Version'),
			},
		],
	},
];
