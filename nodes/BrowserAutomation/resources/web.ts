// The declaration of *Web: Search* (contract 4.5).

import { additionalBodyFields, choiceField, optionsField, switchField, textField } from '../../shared/form/fields';
import { inBody, type Operation, type Resource } from './operation';

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
	ifEmpty: 'The search found nothing',
	fields: [
		textField('Query', 'searchQuery', {
			isRequired: true,
			routing: inBody('q'),
			placeholder: 'e.g. opening hours of the city library',
			description: 'What to search for',
		}),
		switchField('Split Into Items', 'splitIntoItems', {
			default: true,
			description:
				'Whether to return one item per search result. A response without a list of results is returned as one item.',
		}),
		optionsField([
			additionalBodyFields('{"maxResults": 5, "includeDomains": ["example.com"]}'),
			choiceField('Depth', 'depth', {
				routing: inBody('depth'),
				options: [
					{ name: 'Deep', value: 'deep', description: 'More thorough, takes longer' },
					{ name: 'Fast', value: 'fast', description: 'Quicker, less thorough' },
					{ name: 'Standard', value: 'standard' },
				],
				default: 'standard',
				description: 'How thoroughly to search',
			}),
			choiceField('Output Type', 'outputType', {
				routing: inBody('outputType'),
				options: [
					{ name: 'Search Results', value: 'searchResults', description: 'List of pages with their content' },
					{ name: 'Sourced Answer', value: 'sourcedAnswer', description: 'One answer with its sources' },
					{
						name: 'Structured',
						value: 'structured',
						description:
							"Data in a structure of your own. Describe it in 'Additional Body Fields', as the service documents it.",
					},
				],
				default: 'searchResults',
				description: 'What to return',
			}),
		]),
	],
};

export const web: Resource = { name: 'Web', value: 'web', operations: [search] };
