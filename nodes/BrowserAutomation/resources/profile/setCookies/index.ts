import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
} from 'n8n-workflow';

import { inPath, optionalChoice, refuse } from '../../../routing/fields';
import type { Operation } from '../../../routing/operation';
import { errorOf, isSuccess, returnItems } from '../../../routing/read-response';
import { cookieFields } from './cookie-fields';
import { readCookies } from './read-cookies';

/** The cookies of the form as they are: a list, an object, or text. */
async function givenCookies(context: IExecuteSingleFunctions): Promise<unknown> {
	const source = context.getNodeParameter('cookiesFrom', 'json');
	if (source === 'binary') {
		const field = String(context.getNodeParameter('binaryField', 'data'));
		context.helpers.assertBinaryData(field);
		return (await context.helpers.getBinaryDataBuffer(field)).toString('utf8');
	}
	if (source === 'fields') {
		const rows = context.getNodeParameter('cookies.cookie', []) as IDataObject[];
		return rows.map(({ options, ...required }) => ({ ...required, ...(options as IDataObject) }));
	}
	return context.getNodeParameter('cookiesJson', '');
}

/** Puts the cookies of the form into the body, checked and in the shape that the service takes. */
async function sendCookies(this: IExecuteSingleFunctions, request: IHttpRequestOptions): Promise<IHttpRequestOptions> {
	const { cookies, problem } = readCookies(await givenCookies(this));
	if (problem) throw refuse(this, problem, 'Nothing was sent. Correct the cookies, or export them again');
	return { ...request, body: { cookies: cookies as unknown as IDataObject[], ...(request.body as IDataObject) } };
}

const NOT_SET = 'The cookies were not set. Check the Profile ID and the cookies';

/** Whether the service says in the body that it did not do what its status says. */
const isRefused = ({ body }: IN8nHttpFullResponse) => (Object(body) as { success?: unknown }).success === false;

/** The first step of reading every response: an error without the values of the cookies, should a server echo them. */
async function throwCookieError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const isRead = isSuccess(response);
	if (isRead && !isRefused(response)) return items;
	const { cookies } = readCookies(await givenCookies(this));
	const values = cookies.map(({ value }) => value);
	throw await errorOf(this, isRead ? { ...response, advice: NOT_SET } : response, { secrets: values });
}

export const setCookies: Operation = {
	name: 'Set Cookies',
	value: 'setCookies',
	action: 'Set profile cookies',
	description: 'Set the cookies of a profile so that its sessions are signed in',
	builderHint: {
		propertyHint:
			'The profile must exist: ask the user for its ID, which the web console of the service shows. Take the cookies from the input or from a file, not from a literal text in the workflow.',
	},
	routing: {
		request: { method: 'POST', url: '/profiles/{profile_id}/cookies' },
		output: { postReceive: [throwCookieError, returnItems] },
	},
	fields: [
		inPath('profile_id', {
			displayName: 'Profile ID',
			name: 'profileId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. profile_123',
			description: 'ID of the profile that gets the cookies',
			hint: 'Copy it from the list of profiles in the web console of the service',
		}),
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
			displayOptions: { show: { cookiesFrom: ['json'] } },
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
			displayOptions: { show: { cookiesFrom: ['binary'] } },
			hint: 'The name of the input field containing the binary file data to be processed',
			description:
				'A cookies.txt file or a JSON file: a list, the export of a browser extension, or a Playwright storage state, of which only the cookies are sent',
		},
		cookieFields,
	],
	options: [
		optionalChoice('mode', {
			displayName: 'Mode',
			name: 'mode',
			type: 'options',
			options: [
				{ name: 'Append', value: 'append', description: 'Keep them' },
				{ name: 'Replace', value: 'replace', description: 'Remove them' },
			],
			default: 'replace',
			description: 'What to do with cookies the profile already has',
		}),
		optionalChoice('source_format', {
			displayName: 'Source Format',
			name: 'sourceFormat',
			type: 'options',
			options: [
				{ name: 'Chrome', value: 'chrome' },
				{ name: 'Playwright', value: 'playwright' },
			],
			default: 'playwright',
			description: 'Tool that saved the cookies',
		}),
	],
};
