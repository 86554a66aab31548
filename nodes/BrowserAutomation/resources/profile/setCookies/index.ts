import type { IDataObject, IExecuteSingleFunctions, IN8nHttpFullResponse, INodeProperties } from 'n8n-workflow';

import { Failed, refused, type Failure, quoted } from '../../../../errors/failure';
import { maskOf } from '../../../../errors/secrets';
import { serviceFailure } from '../../../../errors/service-error';
import { contentOf, findFile } from '../../../../files/input-files';
import { refuseUnevaluated } from '../../../../form/read-field';
import { inPath, sent } from '../../../routing/request-fields';
import type { Call, Operation } from '../../../routing/operation';
import { itemsOf } from '../../../routing/read-response';
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

async function givenCookies({ context, values }: Call): Promise<unknown> {
	const source = values[cookiesFrom.name];
	if (source === 'binary') {
		const file = findFile(context.getInputData(), binaryField.displayName, values[binaryField.name] as string);
		return String(await context.helpers.binaryToBuffer(await contentOf(file, context.helpers)));
	}
	if (source === 'json') return values[cookiesJson.name];
	const rows = context.getNodeParameter('cookies.cookie', []) as IDataObject[];
	refuseUnevaluatedIn(context, rows);
	return rows.map(withOptions);
}

async function addCookies(call: Call): Promise<void> {
	const { cookies, problem } = readCookies(await givenCookies(call), COOKIES);
	if (problem) throw refused(problem, 'Nothing was sent. Correct the cookies, or export them again');
	call.request.body = { cookies, ...(call.request.body as IDataObject) };
}

/** A failure without the values of the cookies, should the service repeat them. */
function withoutValues(failure: Failure, { request }: Call): Failure {
	const { cookies } = request.body as { cookies: IDataObject[] };
	return { ...failure, reason: maskOf(cookies.map(({ value }) => value))(failure.reason) };
}

const NOT_SET = "The cookies were not set. Check 'Profile ID' and the cookies";

/** The response, unless the service says in it that it did not do what its status says. */
function readResult(response: IN8nHttpFullResponse, call: Call) {
	const { success } = Object(response.body) as { success?: unknown };
	if (success !== false) return itemsOf(response.body);
	throw new Failed(withoutValues(serviceFailure({ ...response, advice: NOT_SET }), call));
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
	request: { method: 'POST', url: '/profiles/{profile_id}/cookies' },
	// The same cookies are set once more.
	isRepeatable: true,
	reads: {
		cookiesJson: (field, value, stored) => {
			refuseUnevaluated(field, stored);
			return value;
		},
	},
	prepare: addCookies,
	explain: (failure, _response, call) => withoutValues(failure, call),
	read: readResult,
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
		cookiesFrom,
		cookiesJson,
		binaryField,
		cookieFields,
		sent('body', 'mode', {
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
		sent('body', 'source_format', {
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
