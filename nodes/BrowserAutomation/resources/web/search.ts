import type { IDataObject, IExecuteSingleFunctions, IHttpRequestOptions, INodeProperties } from 'n8n-workflow';

import { isObject } from '../../../values/is-object';
import { optionalChoice, refuse, requiredText } from '../../routing/fields';
import type { Operation } from '../../routing/operation';
import { returnItems, splitIntoItems, throwServiceError } from '../../routing/read-response';

/** A JSON object, also as text; undefined for any other value. No value is an empty object. */
function readObject(value: unknown): IDataObject | undefined {
	if (value === undefined || value === null) return {};
	if (typeof value === 'string' && value.trim() === '') return {};
	try {
		const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
		return isObject(parsed) ? (parsed as IDataObject) : undefined;
	} catch {
		return undefined;
	}
}

/** The value of an option that is left empty. */
const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/** Adds the fields of the option to the body. What the form sends itself is not replaced. */
async function addBodyFields(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const fields = readObject(this.getNodeParameter('options.additionalBodyFields', {}));
	if (!fields) {
		const problem = `${additionalBodyFields.displayName} must be a JSON object`;
		throw refuse(this, problem, 'Enter a JSON object, such as {"maxResults": 5}');
	}
	const own = Object.entries(request.body as IDataObject).filter(([, value]) => !isEmpty(value));
	return { ...request, body: { ...fields, ...Object.fromEntries(own) } };
}

const additionalBodyFields: INodeProperties = {
	displayName: 'Additional Body Fields',
	name: 'additionalBodyFields',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"maxResults": 5, "includeDomains": ["example.com"]}',
	description: 'More fields to send, as a JSON object. The fields of this form take precedence.',
	routing: { send: { preSend: [addBodyFields] } },
};

export const search: Operation = {
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
	fields: [
		requiredText('body', 'q', {
			displayName: 'Query',
			// Not `query`: for each item n8n evaluates all fields of one name, those of other operations too.
			name: 'searchQuery',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. opening hours of the city library',
			description: 'What to search for',
		}),
		{
			displayName: 'Split Into Items',
			name: 'splitIntoItems',
			type: 'boolean',
			default: true,
			description:
				'Whether to return one item per search result. A response without a list of results is returned as one item.',
		},
	],
	options: [
		additionalBodyFields,
		optionalChoice('depth', {
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
		optionalChoice('outputType', {
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
		}),
	],
};
