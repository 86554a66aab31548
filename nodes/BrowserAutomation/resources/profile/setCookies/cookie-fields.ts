import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** The fields of a cookie that may be left out, named as the service names them. */
const optional: INodeProperties[] = [
	{
		displayName: 'Expiration Date',
		name: 'expirationDate',
		type: 'number',
		default: 0,
		description: 'When the cookie expires, in Unix seconds, as Chrome names it',
	},
	{
		displayName: 'Expires',
		name: 'expires',
		type: 'number',
		default: 0,
		description: 'When the cookie expires, in Unix seconds, as Playwright names it',
	},
	{
		displayName: 'Host Only',
		name: 'hostOnly',
		type: 'boolean',
		default: false,
		description: 'Whether the cookie is for exactly this host, and not for its subdomains',
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
		description: 'Whether the cookie goes along with requests that come from other sites',
	},
	{
		displayName: 'Secure',
		name: 'secure',
		type: 'boolean',
		default: false,
		description: 'Whether the cookie is sent over HTTPS only',
	},
	{
		displayName: 'Session',
		name: 'session',
		type: 'boolean',
		default: false,
		description: 'Whether the cookie ends with the browser session',
	},
	{
		displayName: 'Store ID',
		name: 'storeId',
		type: 'string',
		default: '',
		description: 'ID of the cookie store of the browser that the cookie comes from',
	},
];

/** The list of cookies, each field by field. */
export const cookieFields = (displayOptions: IDisplayOptions): INodeProperties => ({
	displayName: 'Cookies',
	name: 'cookies',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Cookie' },
	placeholder: 'Add Cookie',
	default: {},
	displayOptions,
	options: [
		{
			displayName: 'Cookie',
			name: 'cookie',
			values: [
				{
					displayName: 'Domain',
					name: 'domain',
					type: 'string',
					default: '',
					required: true,
					placeholder: 'e.g. .example.com',
					description: 'Host that the cookie is for; a dot in front means its subdomains too',
				},
				{
					displayName: 'HTTP Only',
					name: 'httpOnly',
					type: 'boolean',
					default: false,
					description: 'Whether the scripts of a page cannot read the cookie',
				},
				{ displayName: 'Name', name: 'name', type: 'string', default: '', required: true },
				{
					displayName: 'Options',
					name: 'options',
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					options: optional,
				},
				{
					displayName: 'Path',
					name: 'path',
					type: 'string',
					default: '/',
					required: true,
					description: 'Path that the cookie is for',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					typeOptions: { password: true },
					default: '',
				},
			],
		},
	],
});
