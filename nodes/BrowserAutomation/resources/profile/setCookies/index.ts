import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeProperties,
	PostReceiveAction,
	PreSendAction,
} from 'n8n-workflow';

import { Failed, refused, type Failure, quoted } from '../../../../errors/failure';
import { maskOf } from '../../../../errors/secrets';
import { serviceFailure } from '../../../../errors/service-error';
import { readChoice, refuseUnevaluated } from '../../../../form/read-field';
import { inPath, optionalChoice, readField, storedValue } from '../../../routing/request-fields';
import type { Operation } from '../../../routing/operation';
import { cookieEntryFields, cookieFields } from './cookie-fields';
import { readCookies } from './read-cookies';

const cookiesFrom: INodeProperties = {
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
};

const cookiesJson: INodeProperties = {
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
};

const COOKIES = quoted(cookiesJson.displayName);

const binaryField: INodeProperties = {
	displayName: 'Input Data Field Name',
	name: 'binaryField',
	type: 'string',
	default: 'data',
	required: true,
	displayOptions: { show: { cookiesFrom: ['binary'] } },
	hint: 'The name of the input field containing the binary file data to be processed',
	description:
		'A cookies.txt file or a JSON file: a list, the export of a browser extension, or a Playwright storage state, of which only the cookies are sent',
};

const withOptions = ({ options, ...required }: IDataObject) => ({ ...required, ...(options as IDataObject) });

/** Refuses cookies with an expression that n8n does not evaluate. n8n copies the whole node for a look at what is stored. */
function refuseUnevaluatedIn(context: IExecuteSingleFunctions, rows: IDataObject[]): void {
	if (!JSON.stringify(rows).includes('{{')) return;
	const { cookie } = context.getNode().parameters.cookies as { cookie: IDataObject[] };
	for (const stored of cookie.map(withOptions)) {
		for (const field of cookieEntryFields) refuseUnevaluated(field, (stored as IDataObject)[field.name]);
	}
}

async function givenCookies(context: IExecuteSingleFunctions): Promise<unknown> {
	const source = readChoice(cookiesFrom, context.getNodeParameter(cookiesFrom.name, cookiesFrom.default));
	if (source === 'binary') {
		const field = readField(context, binaryField);
		context.helpers.assertBinaryData(field);
		return (await context.helpers.getBinaryDataBuffer(field)).toString('utf8');
	}
	if (source === 'fields') {
		const rows = context.getNodeParameter('cookies.cookie', []) as IDataObject[];
		refuseUnevaluatedIn(context, rows);
		return rows.map(withOptions);
	}
	const given = context.getNodeParameter(cookiesJson.name, '');
	refuseUnevaluated(cookiesJson, storedValue(context, cookiesJson, given));
	return given;
}

const sendCookies: PreSendAction = async function (request) {
	const { cookies, problem } = readCookies(await givenCookies(this), COOKIES);
	if (problem) throw refused(problem, 'Nothing was sent. Correct the cookies, or export them again');
	return { ...request, body: { cookies, ...(request.body as IDataObject) } };
};

/** A failure without the values of the cookies, should the service repeat them. */
async function withoutValues(context: IExecuteSingleFunctions, failure: Failure): Promise<Failure> {
	const { cookies } = readCookies(await givenCookies(context), COOKIES);
	const values = cookies.map(({ value }) => value);
	return { ...failure, reason: maskOf(values)(failure.reason) };
}

const NOT_SET = "The cookies were not set. Check 'Profile ID' and the cookies";

/** Fails if the service says in the body that it did not do what its status says. */
const throwUnlessSet: PostReceiveAction = async function (items, response) {
	const { success } = Object(response.body) as { success?: unknown };
	if (success !== false) return items;
	throw new Failed(await withoutValues(this, serviceFailure({ ...response, advice: NOT_SET })));
};

export const setCookies: Operation = {
	name: 'Set Cookies',
	value: 'setCookies',
	action: 'Set profile cookies',
	description: 'Set the cookies of a profile so that its sessions are signed in',
	builderHint: {
		propertyHint:
			'The profile must exist: ask the user for its ID, which the web console of the service shows. Take the cookies from the input or from a file, not from a literal text in the workflow.',
	},
	request: { method: 'POST', url: '/profiles/{profile_id}/cookies' },
	explain: withoutValues,
	read: [throwUnlessSet],
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
		{ ...cookiesFrom, routing: { send: { preSend: [sendCookies] } } },
		cookiesJson,
		binaryField,
		cookieFields,
		optionalChoice('mode', {
			displayName: 'Existing Cookies',
			name: 'existingCookies',
			type: 'options',
			options: [
				{ name: 'Keep', value: 'append', description: 'Add the new cookies to them' },
				{ name: 'Remove', value: 'replace', description: 'Leave only the new cookies' },
			],
			default: 'replace',
			description: 'What to do with the cookies that the profile already has',
		}),
	],
	options: [
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
