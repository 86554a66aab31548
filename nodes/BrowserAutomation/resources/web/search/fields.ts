import type { INodeProperties } from 'n8n-workflow';

import { optionalChoice, requiredText } from '../../../routing/text-field';
import { addBodyFields } from './add-body-fields';

const show = { resource: ['web'], operation: ['search'] };

/** The form of Search. */
export const searchFields: INodeProperties[] = [
	{
		displayName: 'Query',
		// Not `query`: for each item n8n evaluates all fields of one name, those of other operations too.
		name: 'searchQuery',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. opening hours of the city library',
		description: 'What to search for',
		routing: requiredText('body', 'q', 'Query'),
	},
	{
		displayName: 'Split Into Items',
		name: 'splitIntoItems',
		type: 'boolean',
		default: true,
		displayOptions: { show },
		description:
			'Whether to return one item per search result. A response without a list of results is returned as one item.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			{
				displayName: 'Additional Body Fields',
				name: 'additionalBodyFields',
				type: 'json',
				default: '{}',
				placeholder: 'e.g. {"maxResults": 5, "includeDomains": ["example.com"]}',
				description: 'More fields to send, as a JSON object. The fields of this form take precedence.',
				routing: { send: { preSend: [addBodyFields] } },
			},
			{
				displayName: 'Depth',
				name: 'depth',
				type: 'options',
				options: [
					{ name: 'Deep', value: 'deep', description: 'More thorough, takes longer' },
					{ name: 'Fast', value: 'fast', description: 'Quicker, less thorough' },
					{ name: 'Standard', value: 'standard' },
				],
				default: 'standard',
				description: 'How thoroughly to search',
				routing: optionalChoice('depth', 'Depth'),
			},
			{
				displayName: 'Output Type',
				name: 'outputType',
				type: 'options',
				options: [
					{ name: 'Search Results', value: 'searchResults', description: 'List of pages with their content' },
					{ name: 'Sourced Answer', value: 'sourcedAnswer', description: 'One answer with its sources' },
					{
						name: 'Structured',
						value: 'structured',
						description: 'Data in the structure that you describe in Additional Body Fields',
					},
				],
				default: 'searchResults',
				description: 'What to return',
				routing: optionalChoice('outputType', 'Output Type'),
			},
		],
	},
];
