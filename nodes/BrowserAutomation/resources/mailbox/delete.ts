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
		description: 'ID of the mailbox. Take it from the mailbox_id that Create Connect Link put out.',
		routing: pathValue('mailbox_id', 'Mailbox ID'),
	},
];
