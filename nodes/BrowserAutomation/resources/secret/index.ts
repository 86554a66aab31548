import type { INodeProperties } from 'n8n-workflow';

import { returnDeleted } from '../../routing/return-deleted';
import { returnItems } from '../../routing/return-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { deleteFields } from './delete';
import { getFields, refuseAgent } from './get';

/** Operations on secrets. */
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
					output: { postReceive: [throwServiceError, returnDeleted('secret_id', 'id'), returnItems] },
				},
			},
			{
				name: 'Get',
				value: 'get',
				action: 'Get secret',
				description: 'Get the value of a secret by its name',
				builderHint: {
					propertyHint:
						'Returns the secret in plain text, where every later node and the stored execution can read it. Use it only if the user asks for the value.',
				},
				routing: {
					request: { method: 'GET', url: '/secrets/{name}' },
					send: { preSend: [refuseAgent] },
					output: { postReceive: [throwServiceError, returnItems] },
				},
			},
		],
		default: 'get',
	},
	...deleteFields,
	...getFields,
];
