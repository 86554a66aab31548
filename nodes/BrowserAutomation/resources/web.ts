import { additionalBodyFields, optionsField, switchField } from '../../shared/form/fields';
import { sent, type Operation, type Resource } from './operation';

const search: Operation = {
	name: 'Search',
	value: 'search',
	action: 'Search web',
	description: 'Search the web for pages or for an answer with its sources',
	propertyHint:
		'Returns one item per search result, with url, name and content. It opens no page: for that, use the node Run Automation.',
	routing: { request: { method: 'POST', url: '/search' } },
	mayReturn: ['results', 'answer'],
	isRepeatable: true,
	list: 'results',
	fields: [
		sent('body', 'q', {
			displayName: 'Query',
			// Not `query`: for each item n8n evaluates all fields of one name, those of other operations too.
			name: 'searchQuery',
			required: true,
			placeholder: 'e.g. opening hours of the city library',
			description: 'What to search for',
		}),
		switchField({
			displayName: 'Split Into Items',
			name: 'splitIntoItems',
			default: true,
			description:
				'Whether to return one item per search result. A response without a list of results is returned as one item.',
		}),
		optionsField([
			additionalBodyFields('{"maxResults": 5, "includeDomains": ["example.com"]}'),
			sent('body', 'depth', {
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
			}),
			sent('body', 'outputType', {
				displayName: 'Output Type',
				name: 'outputType',
				type: 'options',
				options: [
					{ name: 'Search Results', value: 'searchResults', description: 'List of pages with their content' },
					{ name: 'Sourced Answer', value: 'sourcedAnswer', description: 'One answer with its sources' },
					{
						name: 'Structured',
						value: 'structured',
						description: "Data in the structure that you describe in 'Additional Body Fields'",
					},
				],
				default: 'searchResults',
				description: 'What to return',
			}),
		]),
	],
};

export const web: Resource = { name: 'Web', value: 'web', operations: [search] };
