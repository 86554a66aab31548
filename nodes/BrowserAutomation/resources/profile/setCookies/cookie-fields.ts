import type { INodeProperties } from 'n8n-workflow';

import { optionsField } from '../../../../form/read-field';

const optional: INodeProperties[] = [
	{
		displayName: 'Expiration Date',
		name: 'expirationDate',
		type: 'number',
		default: 0,
		description:
			"When the cookie expires, in Unix seconds, under the name that Chrome uses. Set this or 'Expires', not both.",
	},
	{
		displayName: 'Expires',
		name: 'expires',
		type: 'number',
		default: 0,
		description:
			"When the cookie expires, in Unix seconds. Use this one, unless 'Source Format' is 'Chrome': then 'Expiration Date'.",
	},
	{
		displayName: 'Host Only',
		name: 'hostOnly',
		type: 'boolean',
		default: false,
		description: 'Whether the cookie applies to this host only, not to its subdomains',
	},
	{
		displayName: 'Partition Key',
		name: 'partitionKey',
		type: 'string',
		default: '',
		description: 'Site of the top-level page that a partitioned cookie belongs to',
	},
	{
		displayName: 'Same Site',
		name: 'sameSite',
		type: 'options',
		options: [
			{ name: 'Lax', value: 'Lax' },
			{ name: 'None', value: 'None' },
			{ name: 'Strict', value: 'Strict' },
		],
		default: 'Lax',
		description: 'When to send the cookie with requests from other sites',
	},
	{
		displayName: 'Secure',
		name: 'secure',
		type: 'boolean',
		default: false,
		description: 'Whether to send the cookie over HTTPS only',
	},
	{
		displayName: 'Session',
		name: 'session',
		type: 'boolean',
		default: false,
		description: 'Whether the cookie expires with the browser session',
	},
	{
		displayName: 'Store ID',
		name: 'storeId',
		type: 'string',
		default: '',
		description: 'ID of the browser cookie store that the cookie comes from',
	},
];

/**
 * The fields of every cookie, in the order in which browsers list them. Outside the form, because the lint sorts by name. They
 * are not marked as required: n8n would then refuse the first, empty cookie even if an expression chooses another source.
 */
const always: INodeProperties[] = [
	{ displayName: 'Name', name: 'name', type: 'string', default: '' },
	{
		displayName: 'Value',
		name: 'value',
		type: 'string',
		typeOptions: { password: true },
		default: '',
	},
	{
		displayName: 'Domain',
		name: 'domain',
		type: 'string',
		default: '',
		placeholder: 'e.g. .example.com',
		description: 'Host that the cookie applies to. Start it with a dot to include subdomains.',
	},
	{
		displayName: 'Path',
		name: 'path',
		type: 'string',
		default: '/',
		description: 'Path that the cookie applies to',
	},
	{
		displayName: 'HTTP Only',
		name: 'httpOnly',
		type: 'boolean',
		default: false,
		description: 'Whether to hide the cookie from scripts on the page',
	},
];

export const cookieEntryFields = [...always, ...optional];

export const cookieFields: INodeProperties = {
	displayName: 'Cookies',
	name: 'cookies',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Cookie' },
	placeholder: 'Add Cookie',
	// One cookie to fill in; the rest of it has the defaults of its fields.
	default: { cookie: [{}] },
	displayOptions: { show: { cookiesFrom: ['fields'] } },
	options: [
		{
			displayName: 'Cookie',
			name: 'cookie',
			values: [...always, optionsField(optional)],
		},
	],
};
