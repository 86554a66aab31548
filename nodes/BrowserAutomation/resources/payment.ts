// The declaration of *Payment: Connect Wallet* (contract 4.1).

import { choiceField, notice, optionsField, textField } from '../../shared/form/fields';
import { inBody, inHeader, type Operation, type Resource } from './operation';

export const connectWallet: Operation = {
	name: 'Connect Wallet',
	value: 'connectWallet',
	action: 'Connect payment wallet',
	description: 'Create a link to connect a wallet for agent payments',
	propertyHint: 'Returns connection_url, connection_phrase and status.',
	routing: { request: { method: 'POST', url: '/payments/connect' } },
	returns: ['id', 'mode', 'status'],
	fields: [
		notice(
			'connectWalletNotice',
			'Ask the wallet owner to open <code>connection_url</code> and to continue only if the page shows the same phrase as <code>connection_phrase</code>.',
		),
		choiceField('Mode', 'mode', {
			routing: inBody('mode'),
			options: [
				{ name: 'Live', value: 'live', description: 'Pay with real money' },
				{ name: 'Test', value: 'test', description: 'Try it out without real money' },
			],
			// The service's default is Live, but real money must be a deliberate choice.
			default: 'test',
			description: "Choose 'Live' to let agents pay with real money",
		}),
		optionsField([
			textField('Request Origin', 'requestOrigin', {
				placeholder: 'e.g. my-workflow',
				description: 'Value of the x-service-request-origin header',
				routing: inHeader('x-service-request-origin'),
			}),
			textField('SDK Version', 'sdkVersion', {
				placeholder: 'e.g. 1.9.2',
				description: 'Value of the x-service-sdk-version header',
				routing: inHeader('x-service-sdk-version'),
			}),
		]),
	],
};

export const payment: Resource = { name: 'Payment', value: 'payment', operations: [connectWallet] };
