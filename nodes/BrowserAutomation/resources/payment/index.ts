import type { INodeProperties } from 'n8n-workflow';

import { putOutItems } from '../../routing/put-out-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { connectWalletFields } from './connectWallet';

/** Operations on payments (contract, 4.1). */
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
				description: 'Create a link with which a person connects a wallet that agents pay from',
				routing: {
					request: { method: 'POST', url: '/payments/connect' },
					output: { postReceive: [throwServiceError, putOutItems] },
				},
			},
		],
		default: 'connectWallet',
	},
	...connectWalletFields,
];
