import type { INodeProperties } from 'n8n-workflow';

import { putOutDeleted } from '../../routing/put-out-deleted';
import { putOutItems } from '../../routing/put-out-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { deleteFields } from './delete';
import { getFields } from './get';
import { refuseAgent } from './get.refuse-agent';

/** Operations on secrets (contract, 4.8 and 4.10). */
export const secret: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['secret'] } },
		options: [
			{
				name: 'Delete',
				value: 'delete',
				action: 'Delete secret',
				description: 'Delete a secret by its ID',
				routing: {
					request: { method: 'DELETE', url: '/secrets/{secret_id}' },
					output: { postReceive: [throwServiceError, putOutDeleted('secret_id', 'id'), putOutItems] },
				},
			},
			{
				name: 'Get',
				value: 'get',
				action: 'Get secret',
				description: 'Get the value of a secret by its name',
				routing: {
					request: { method: 'GET', url: '/secrets/{name}' },
					send: { preSend: [refuseAgent] },
					output: { postReceive: [throwServiceError, putOutItems] },
				},
			},
		],
		default: 'get',
	},
	...deleteFields,
	...getFields,
];
