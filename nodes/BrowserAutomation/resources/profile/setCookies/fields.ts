import type { INodeProperties } from 'n8n-workflow';

import { pathValue } from '../../../routing/path-value';
import { optionalChoice } from '../../../routing/text-field';
import { cookieFields } from './cookie-fields';
import { sendCookies } from './send';

const show = { resource: ['profile'], operation: ['setCookies'] };

/** The form of Set Cookies. */
export const setCookiesFields: INodeProperties[] = [
	{
		displayName: 'Profile ID',
		name: 'profileId',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show },
		placeholder: 'e.g. profile_123',
		description: 'ID of the profile that gets the cookies',
		hint: 'Copy it from the list of profiles in the web console of the service',
		routing: pathValue('profile_id', 'Profile ID'),
	},
	{
		displayName: 'Cookies From',
		name: 'cookiesFrom',
		type: 'options',
		options: [
			{ name: 'Enter One by One', value: 'fields', description: 'Fill in a form for each cookie' },
			{
				name: 'File From Input',
				value: 'binary',
				description: 'Read a file from the input item, such as the export of a browser extension',
			},
			{ name: 'Paste', value: 'json', description: 'Paste text, or use an expression' },
		],
		default: 'json',
		displayOptions: { show },
		description: 'Where the cookies come from',
		routing: { send: { preSend: [sendCookies] } },
	},
	{
		displayName: 'Cookies',
		name: 'cookiesJson',
		// Not the JSON editor: it marks an empty field and the text of a cookies.txt file as wrong.
		type: 'string',
		typeOptions: { rows: 6 },
		default: '',
		required: true,
		displayOptions: { show: { ...show, cookiesFrom: ['json'] } },
		placeholder: 'e.g. [{"name": "session", "value": "…", "domain": "example.com", "path": "/", "httpOnly": true}]',
		description:
			'The cookies as JSON or as the text of a cookies.txt file. JSON can be a list, the export of a browser extension, or a Playwright storage state, of which only the cookies are sent.',
	},
	{
		displayName: 'Input Data Field Name',
		name: 'binaryField',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: { show: { ...show, cookiesFrom: ['binary'] } },
		hint: 'The name of the input field containing the binary file data to be processed',
		description:
			'A cookies.txt file or a JSON file: a list, the export of a browser extension, or a Playwright storage state, of which only the cookies are sent',
	},
	cookieFields({ show: { ...show, cookiesFrom: ['fields'] } }),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			{
				displayName: 'Mode',
				name: 'mode',
				type: 'options',
				options: [
					{ name: 'Append', value: 'append', description: 'Keep them' },
					{ name: 'Replace', value: 'replace', description: 'Remove them' },
				],
				default: 'replace',
				description: 'What to do with cookies the profile already has',
				routing: optionalChoice('mode', 'Mode'),
			},
			{
				displayName: 'Source Format',
				name: 'sourceFormat',
				type: 'options',
				options: [
					{ name: 'Chrome', value: 'chrome' },
					{ name: 'Playwright', value: 'playwright' },
				],
				default: 'playwright',
				description: 'Tool that saved the cookies',
				routing: optionalChoice('source_format', 'Source Format'),
			},
		],
	},
];
