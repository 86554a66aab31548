import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

import { Failed, type Failure } from '../../errors/failure';
import { maskOf } from '../../errors/secrets';
import { serviceFailure } from '../../errors/service-error';
import { contentOf, findFile } from '../../files/input-files';
import { refuseUnevaluated } from '../../form/read-field';
import { binaryField, cookieFields } from '../resources/profile/setCookies';
import type { Call, OwnSteps } from './call';
import { readCookies } from './read-cookies';
import { itemsOf } from './read-response';

const withOptions = ({ options, ...required }: IDataObject) => ({ ...required, ...(options as IDataObject) });

/** Refuses cookies with an expression that n8n does not evaluate. n8n copies the whole node for a look at what is stored. */
function refuseUnevaluatedIn(context: IExecuteSingleFunctions, rows: IDataObject[]): void {
	if (!JSON.stringify(rows).includes('{{')) return;
	const { cookie } = context.getNode().parameters.cookies as { cookie: IDataObject[] };
	for (const stored of cookie.map(withOptions)) {
		for (const field of cookieFields) refuseUnevaluated(field, (stored as IDataObject)[field.name]);
	}
}

/** What the form has of cookies: of its sources, it shows only the chosen one. */
async function givenCookies({ context, values }: Call): Promise<unknown> {
	if (values.cookiesFrom === 'binary') {
		const file = findFile(context.getInputData(), binaryField.displayName, values[binaryField.name] as string);
		return String(await context.helpers.binaryToBuffer(await contentOf(file, context.helpers)));
	}
	if (values.cookiesFrom === 'json') return values.cookiesJson;
	const rows = context.getNodeParameter('cookies.cookie', []) as IDataObject[];
	refuseUnevaluatedIn(context, rows);
	return rows.map(withOptions);
}

/** A failure without the values of the cookies, should the service repeat them. */
function withoutValues(failure: Failure, { request }: Call): Failure {
	const { cookies } = request.body as { cookies: IDataObject[] };
	return { ...failure, reason: maskOf(cookies.map(({ value }) => value))(failure.reason) };
}

const NOT_SET = "The cookies were not set. Check 'Profile ID' and the cookies";

export const setCookiesSteps: OwnSteps = {
	reads: {
		cookiesJson(field, value, stored) {
			refuseUnevaluated(field, stored);
			return value;
		},
	},

	async prepare(call) {
		const cookies = readCookies(await givenCookies(call));
		call.request.body = { cookies, ...(call.request.body as IDataObject) };
	},

	explain: (failure, _response, call) => withoutValues(failure, call),

	/** The response, unless the service says in it that it did not do what its status says. */
	read(response, call) {
		const { success } = Object(response.body) as { success?: unknown };
		if (success !== false) return itemsOf(response.body);
		throw new Failed(withoutValues(serviceFailure({ ...response, advice: NOT_SET }), call));
	},
};
