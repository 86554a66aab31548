// The declaration of *Profile: Set Cookies* (contract 4.3).

import type { INodeProperties } from 'n8n-workflow';

import { choiceField, numberField, optionsField, switchField, textField } from '../../shared/form/fields';
import { inBody, inPath, type Operation, type Resource } from './operation';

const optionalCookieFields: INodeProperties[] = [
	numberField('Expiration Date', 'expirationDate', {
		description: "Expiry time in Unix seconds, under Chrome's name for it. Set this or 'Expires', not both.",
	}),
	numberField('Expires', 'expires', {
		description: "Expiry time in Unix seconds. If 'Source Format' is 'Chrome', use 'Expiration Date' instead.",
	}),
	switchField('Host Only', 'hostOnly', {
		description: 'Whether the cookie applies to this host only, not to its subdomains',
	}),
	textField('Partition Key', 'partitionKey', {
		description: 'Site of the top-level page that a partitioned cookie belongs to',
	}),
	choiceField('Same Site', 'sameSite', {
		options: [
			{ name: 'Lax', value: 'Lax' },
			{ name: 'None', value: 'None' },
			{ name: 'Strict', value: 'Strict' },
		],
		default: 'Lax',
		description: 'When to send the cookie with requests from other sites',
	}),
	switchField('Secure', 'secure', { description: 'Whether to send the cookie over HTTPS only' }),
	switchField('Session', 'session', { description: 'Whether the cookie expires with the browser session' }),
	textField('Store ID', 'storeId', { description: 'ID of the browser cookie store that the cookie comes from' }),
];

/**
 * Browsers use this order, but the lint rule sorts lists in a form by name. A required field would make n8n reject the first,
 * empty cookie for any source.
 */
const requiredCookieFields: INodeProperties[] = [
	textField('Name', 'name'),
	textField('Value', 'value', { typeOptions: { password: true } }),
	textField('Domain', 'domain', {
		placeholder: 'e.g. .example.com',
		description: 'Host that the cookie applies to. Start it with a dot to include subdomains.',
	}),
	textField('Path', 'path', { default: '/', description: 'Path that the cookie applies to' }),
	switchField('HTTP Only', 'httpOnly', { description: 'Whether to hide the cookie from scripts on the page' }),
];

export const cookieFields = [...requiredCookieFields, ...optionalCookieFields];

export const cookiesJson = textField('Cookies', 'cookiesJson', {
	isRequired: true,
	isRaw: true,
	// n8n's JSON editor would mark empty fields and cookies.txt text as wrong.
	typeOptions: { rows: 6 },
	displayOptions: { show: { cookiesFrom: ['json'] } },
	placeholder: 'e.g. [{"name": "session", "value": "…", "domain": "example.com", "path": "/", "httpOnly": true}]',
	description:
		'Cookies as JSON or cookies.txt text. JSON can be a list, a browser extension export, or a Playwright storage state (only its cookies are sent).',
});

export const binaryField = textField('Input Data Field Name', 'binaryField', {
	default: 'data',
	displayOptions: { show: { cookiesFrom: ['binary'] } },
	hint: 'The name of the input field containing the binary file data to be processed',
	description:
		'A cookies.txt or JSON file: a list, a browser extension export, or a Playwright storage state (only its cookies are sent)',
});

export const setCookies: Operation = {
	name: 'Set Cookies',
	value: 'setCookies',
	action: 'Set profile cookies',
	description: 'Set the cookies of a profile so that its sessions are signed in',
	propertyHint:
		'Returns success, cookies_count and mode. Ask the user for the profile ID. Take the cookies from the input or from a file, not from a literal text.',
	routing: { request: { method: 'POST', url: '/profiles/{profile_id}/cookies' } },
	returns: ['success', 'cookies_count', 'mode', 'message'],
	// A second request sets the same cookies.
	isRepeatable: true,
	fields: [
		inPath('profile_id', 'Profile ID', 'profileId', {
			placeholder: 'e.g. profile_123',
			description: 'ID of the profile to update',
			hint: "Copy it from the profile list in the service's web console",
		}),
		choiceField('Cookies From', 'cookiesFrom', {
			options: [
				{ name: 'Enter One by One', value: 'fields', description: 'Fill in a form for each cookie' },
				{
					name: 'File From Input',
					value: 'binary',
					description: 'Read a file from the input item, such as a browser extension export',
				},
				{ name: 'Paste', value: 'json', description: 'Paste text, or use an expression' },
			],
			default: 'json',
			description: 'Where the cookies come from',
		}),
		cookiesJson,
		binaryField,
		{
			displayName: 'Cookies',
			name: 'cookies',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Cookie' },
			placeholder: 'Add Cookie',
			// The form shows one cookie, with its fields' defaults.
			default: { cookie: [{}] },
			displayOptions: { show: { cookiesFrom: ['fields'] } },
			options: [
				{
					displayName: 'Cookie',
					name: 'cookie',
					values: [...requiredCookieFields, optionsField(optionalCookieFields)],
				},
			],
		},
		choiceField('Existing Cookies', 'existingCookies', {
			routing: inBody('mode'),
			options: [
				{ name: 'Keep', value: 'append', description: 'Add the new cookies to them' },
				{
					name: 'Replace All',
					value: 'replace',
					description:
						'Remove existing cookies first. If several items have the same profile, each also removes the cookies of the item before.',
				},
			],
			default: 'append',
			description: 'What to do with the cookies that the profile already has',
		}),
		optionsField([
			choiceField('Source Format', 'sourceFormat', {
				routing: inBody('source_format'),
				options: [
					{ name: 'Chrome', value: 'chrome' },
					{ name: 'Playwright', value: 'playwright' },
				],
				default: 'playwright',
				description: 'Tool that exported the cookies',
			}),
		]),
	],
};

export const profile: Resource = { name: 'Profile', value: 'profile', operations: [setCookies] };
