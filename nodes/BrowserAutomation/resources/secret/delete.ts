import type { INodeProperties } from 'n8n-workflow';

import { pathValue } from '../../routing/path-value';

const show = { resource: ['secret'], operation: ['delete'] };

/** The form of Delete. */
export const deleteFields: INodeProperties[] = [
	{
		displayName: 'Secret ID',
		name: 'id',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. sec_123',
		description: 'ID of the secret, not its name',
		hint: 'Copy it from the list of secrets in the web console of the service',
		routing: pathValue('secret_id', 'Secret ID'),
	},
];
