import type { INodeProperties } from 'n8n-workflow';

import { returnItems } from '../../routing/return-items';
import { splitIntoItems } from '../../routing/split-into-items';
import { throwServiceError } from '../../routing/throw-service-error';
import { searchFields } from './search/fields';

/** Operations on the web. */
export const web: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['web'] } },
		options: [
			{
				name: 'Search',
				value: 'search',
				action: 'Search web',
				description: 'Search the web for pages or for an answer with its sources',
				routing: {
					request: { method: 'POST', url: '/search' },
					output: { postReceive: [throwServiceError, splitIntoItems('results', 'splitIntoItems'), returnItems] },
				},
			},
		],
		default: 'search',
	},
	...searchFields,
];
