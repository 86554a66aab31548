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
				builderHint: {
					propertyHint:
						'Returns one item per search result. It opens no page and fills in no form: for that, use the node Run Automation.',
				},
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
