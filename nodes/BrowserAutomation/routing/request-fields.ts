import type { IDataObject, IExecuteSingleFunctions, INodeProperties, PreSendAction } from 'n8n-workflow';

import { refused, quoted } from '../../errors/failure';
import { findOriginProblem, findPageProblem } from '../../addresses/service-url';
import { readJsonObject, readRequiredText, readSwitch, readText } from '../../form/read-field';

type Place = 'body' | 'query';

/** Reads the value of a field, as form/fields.ts does; undefined if nothing is sent. */
type Read = (field: INodeProperties, value: unknown, stored: unknown) => unknown;

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * The value of a field as the workflow has it, if it looks like an expression that n8n does not evaluate: such a text is
 * its own value. For all others, nothing is looked up, because n8n copies the whole node each time.
 */
export function storedValue(context: IExecuteSingleFunctions, { name }: INodeProperties, value: unknown): unknown {
	if (typeof value !== 'string' || !value.includes('{{')) return undefined;
	const { parameters } = context.getNode();
	const isStored = [parameters, parameters.options].some((fields) => (fields as IDataObject)?.[name] === value);
	return isStored ? value : undefined;
}

/**
 * A field that is sent as `read` returns it. The value is taken from the request: to read the field once more, or to change
 * it by an expression, n8n would evaluate one more expression, and those are most of what an item costs.
 */
export function sent(type: Place, property: string, field: INodeProperties, read: Read): INodeProperties {
	const change: PreSendAction = async function (request) {
		const part = type === 'body' ? 'body' : 'qs';
		const values = request[part] as IDataObject;
		const value = values[property];
		return { ...request, [part]: { ...values, [property]: read(field, value, storedValue(this, field, value)) } };
	};
	return { ...field, routing: { send: { type, property, preSend: [change] } } };
}

/** A field of text that is sent and must not be empty. */
export const requiredText = (type: Place, property: string, field: INodeProperties): INodeProperties =>
	sent(type, property, field, readRequiredText);

/** A field of text that is sent unless it is empty. */
export const optionalText = (property: string, field: INodeProperties): INodeProperties =>
	sent('body', property, field, (...given) => readText(...given) || undefined);

/** A list whose choice is sent unless it is empty; any other text that an expression makes of it is sent unchanged. */
export const optionalChoice = (property: string, field: INodeProperties): INodeProperties =>
	sent('body', property, field, (_field, value, stored) => (readText(field, value, stored) === '' ? undefined : value));

/** A switch that is sent unless an expression makes it empty. */
export const optionalSwitch = (property: string, field: INodeProperties): INodeProperties =>
	sent('query', property, field, (_field, value) => (isEmpty(value) ? undefined : readSwitch(field, value)));

const address = (find: typeof findPageProblem) => (property: string, field: INodeProperties) =>
	sent('body', property, field, (...given) => {
		const text = readRequiredText(...given);
		const problem = find(text);
		if (problem) throw refused(`${quoted(field.displayName)} ${problem.reason}`, problem.advice);
		return text;
	});

/** A field with the address of a page, which is sent. */
export const pageAddress = address(findPageProblem);

/** A field with the address of a page without its path, which is sent. */
export const originAddress = address(findOriginProblem);

/** A field of text that is not sent, but must not be empty, and what else is to be checked of it. */
export function requiredHere(field: INodeProperties, ...furtherChecks: PreSendAction[]): INodeProperties {
	const check: PreSendAction = async function (request) {
		readField(this, field);
		return request;
	};
	return { ...field, routing: { send: { preSend: [check, ...furtherChecks] } } };
}

/** The text of a field that is not sent and must not be empty. */
export function readField(context: IExecuteSingleFunctions, field: INodeProperties): string {
	const value = context.getNodeParameter(field.name, '');
	return readRequiredText(field, value, storedValue(context, field, value));
}

/** The value of a switch that is not sent. */
export const isOn = (context: IExecuteSingleFunctions, field: INodeProperties): boolean =>
	readSwitch(field, context.getNodeParameter(field.name, field.default));

/** What a header cannot carry: the HTTP client would drop it without a word. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

/** A field of text that is sent as a header, unless it is empty. */
export function optionalHeader(header: string, field: INodeProperties): INodeProperties {
	const checkHeader: PreSendAction = async function (request) {
		const { [header]: value, ...headers } = request.headers as IDataObject;
		const text = readText(field, value, storedValue(this, field, value));
		if (NOT_IN_HEADERS.test(text)) {
			const reason = `${quoted(field.displayName)} contains characters that cannot be sent`;
			throw refused(reason, 'Use only letters, digits, and punctuation');
		}
		return { ...request, headers: text ? { ...headers, [header]: text } : headers };
	};
	const routing = { request: { headers: { [header]: '={{ $value }}' } }, send: { preSend: [checkHeader] } };
	return { ...field, routing };
}

/**
 * A field that is put into the path of the request, as one percent-encoded segment. It comes by way of the query,
 * because n8n hands values over nowhere else, and would evaluate the expressions of a field that is read once more.
 *
 * @param placeholder the name in braces in the path, named as in the OpenAPI document of the service
 */
export function inPath(placeholder: string, field: INodeProperties): INodeProperties {
	const property = `{${placeholder}}`;
	const moveIntoPath: PreSendAction = async function (request) {
		const { [property]: value, ...qs } = request.qs as IDataObject;
		const text = readRequiredText(field, value, storedValue(this, field, value));
		// Percent-encoding leaves dots as they are, and every client then takes the segment out of the path.
		if (text === '.' || text === '..' || !text.isWellFormed()) {
			const advice = 'Enter the value that the web console of the service shows';
			throw refused(`${quoted(field.displayName)} is not valid`, advice);
		}
		// As a function: a replacement text would read "$&" and the like.
		return { ...request, qs, url: request.url.replace(property, () => encodeURIComponent(text)) };
	};
	return { ...field, routing: { send: { type: 'query', property, preSend: [moveIntoPath] } } };
}

/** The option with further fields of the body. What the form sends itself is not replaced. */
export function additionalBodyFields(placeholder: string, readFields = readJsonObject): INodeProperties {
	const field: INodeProperties = {
		displayName: 'Additional Body Fields',
		name: 'additionalBodyFields',
		type: 'json',
		default: '{}',
		placeholder,
		description: 'More fields to send, as a JSON object. The fields of this form take precedence.',
	};
	const add: PreSendAction = async function (request) {
		const value = this.getNodeParameter(`options.${field.name}`, {});
		const further = readFields(field, value, storedValue(this, field, value));
		const own = Object.entries(request.body as IDataObject).filter(([, given]) => !isEmpty(given));
		return { ...request, body: { ...further, ...Object.fromEntries(own) } };
	};
	return { ...field, routing: { send: { preSend: [add] } } };
}
