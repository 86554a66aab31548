import type { INodeProperties } from 'n8n-workflow';

import { pathValue } from '../../routing/path-value';

const show = { resource: ['mailbox'], operation: ['delete'] };

/** The form of Delete. */
export const deleteFields: INodeProperties[] = [
	{
		displayName: 'Mailbox ID',
		name: 'mailboxId',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. mailbox_123',
		description: 'ID of the mailbox to delete',
		hint: 'Map mailbox_id from Create Connect Link',
		routing: pathValue('mailbox_id', 'Mailbox ID'),
	},
];
