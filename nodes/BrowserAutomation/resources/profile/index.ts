import type { INodeProperties } from 'n8n-workflow';

import { putOutItems } from '../../routing/put-out-items';
import { setCookiesFields } from './setCookies';
import { throwCookieError } from './setCookies.throw-cookie-error';

/** Operations on profiles (contract, 4.3). */
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
				description: 'Put cookies into a profile, so that its sessions are signed in',
				routing: {
					request: { method: 'POST', url: '/profiles/{profile_id}/cookies' },
					output: { postReceive: [throwCookieError, putOutItems] },
				},
			},
		],
		default: 'setCookies',
	},
	...setCookiesFields,
];
