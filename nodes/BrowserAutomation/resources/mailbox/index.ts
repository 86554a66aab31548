import type { INodeProperties } from 'n8n-workflow';

import { returnDeleted } from '../../routing/return-deleted';
import { returnItems } from '../../routing/return-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { createConnectLinkFields } from './createConnectLink';
import { deleteFields } from './delete';

/** Operations on mailboxes. */
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
				description:
					'Create a link to connect a mailbox. Ask its owner to open connect_link_url and sign in before expires_at.',
				routing: {
					request: { method: 'POST', url: '/mailboxes/connect-token' },
					output: { postReceive: [throwServiceError, returnItems] },
				},
			},
			{
				name: 'Delete',
				value: 'delete',
				action: 'Delete mailbox',
				description: 'Delete a connected mailbox',
				routing: {
					request: { method: 'DELETE', url: '/mailboxes/{mailbox_id}' },
					output: { postReceive: [throwServiceError, returnDeleted('mailbox_id', 'mailboxId'), returnItems] },
				},
			},
		],
		default: 'createConnectLink',
	},
	...createConnectLinkFields,
	...deleteFields,
];
