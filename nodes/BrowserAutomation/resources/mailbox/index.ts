import type { INodeProperties } from 'n8n-workflow';

import { putOutDeleted } from '../../routing/put-out-deleted';
import { putOutItems } from '../../routing/put-out-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { createConnectLinkFields } from './createConnectLink';
import { deleteFields } from './delete';

/** Operations on mailboxes (contract, 4.4 and 4.9). */
export const mailbox: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['mailbox'] } },
		options: [
			{
				name: 'Create Connect Link',
				value: 'createConnectLink',
				action: 'Create mailbox connect link',
				description: 'Create a link with which a person connects a mailbox',
				routing: {
					request: { method: 'POST', url: '/mailboxes/connect-token' },
					output: { postReceive: [throwServiceError, putOutItems] },
				},
			},
			{
				name: 'Delete',
				value: 'delete',
				action: 'Delete mailbox',
				description: 'Delete a connected mailbox',
				routing: {
					request: { method: 'DELETE', url: '/mailboxes/{mailbox_id}' },
					output: { postReceive: [throwServiceError, putOutDeleted('mailbox_id', 'mailboxId'), putOutItems] },
				},
			},
		],
		default: 'createConnectLink',
	},
	...createConnectLinkFields,
	...deleteFields,
];
