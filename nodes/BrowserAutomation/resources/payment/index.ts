import type { INodeProperties } from 'n8n-workflow';

import { returnItems } from '../../routing/return-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { connectWalletFields } from './connectWallet';

/** Operations on payments. */
export const payment: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['payment'] } },
		options: [
			{
				name: 'Connect Wallet',
				value: 'connectWallet',
				action: 'Connect payment wallet',
				description: 'Create a link to connect a wallet that agents pay from',
				routing: {
					request: { method: 'POST', url: '/payments/connect' },
					output: { postReceive: [throwServiceError, returnItems] },
				},
			},
		],
		default: 'connectWallet',
	},
	...connectWalletFields,
];
