import type { INodeProperties } from 'n8n-workflow';

import { returnItems } from '../../routing/return-items';
import { setCookiesFields } from './setCookies/fields';
import { throwCookieError } from './setCookies/error';

/** Operations on profiles. */
export const profile: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['profile'] } },
		options: [
			{
				name: 'Set Cookies',
				value: 'setCookies',
				action: 'Set profile cookies',
				description: 'Set the cookies of a profile so that its sessions are signed in',
				builderHint: {
					propertyHint:
						'The profile must exist: ask the user for its ID, which the web console of the service shows. Take the cookies from the input or from a file, not from a literal text in the workflow.',
				},
				routing: {
					request: { method: 'POST', url: '/profiles/{profile_id}/cookies' },
					output: { postReceive: [throwCookieError, returnItems] },
				},
			},
		],
		default: 'setCookies',
	},
	...setCookiesFields,
];
