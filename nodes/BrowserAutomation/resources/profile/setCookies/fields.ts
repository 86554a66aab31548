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
		description: 'ID of the profile. Find it in the list of profiles in the web console of the service.',
		routing: pathValue('profile_id', 'Profile ID'),
	},
	{
		displayName: 'Cookies From',
		name: 'cookiesFrom',
		type: 'options',
		options: [
			{
				name: 'Binary File',
				value: 'binary',
				description: 'A file of the input item, as a browser extension or a testing tool saves it',
			},
			{ name: 'Fields Below', value: 'fields', description: 'Each cookie field by field' },
			{ name: 'JSON', value: 'json', description: 'What an earlier node gives, or a text that you paste' },
		],
		default: 'json',
		displayOptions: { show },
		description: 'Where the cookies come from',
		routing: { send: { preSend: [sendCookies] } },
	},
	{
		displayName: 'Cookies',
		name: 'cookiesJson',
		type: 'json',
		default: '',
		required: true,
		displayOptions: { show: { ...show, cookiesFrom: ['json'] } },
		placeholder: 'e.g. [{"name": "session", "value": "…", "domain": "example.com", "path": "/", "httpOnly": true}]',
		description:
			'List of cookies, or an object with the list in its field cookies: a Playwright storage state, the export of a browser extension, or the text of a cookies.txt file',
	},
	{
		displayName: 'Input Data Field Name',
		name: 'binaryField',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: { show: { ...show, cookiesFrom: ['binary'] } },
		hint: 'The name of the input field containing the binary file data to be processed',
		description: 'The file holds JSON as above, or is a cookies.txt file',
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
					{ name: 'Append', value: 'append', description: 'Keep the cookies that the profile has' },
					{ name: 'Replace', value: 'replace', description: 'Remove the cookies that the profile has' },
				],
				default: 'replace',
				description: 'What becomes of the cookies that the profile has. An expression may give any other mode.',
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
				description: 'Where the cookies were saved. An expression may give any other format.',
				routing: optionalChoice('source_format', 'Source Format'),
			},
		],
	},
];
