import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeProperties,
	NodeOperationError,
	PreSendAction,
} from 'n8n-workflow';

import { inputError } from '../../errors/node-error';
import { forReader } from '../../errors/reader';
import { readText, TEXT_ADVICE } from '../../inputs/text';

/** Where n8n puts the value of a field. */
type Place = 'body' | 'query';

type Change = (context: IExecuteSingleFunctions, value: unknown) => unknown;

/**
 * The error for input of this item that is not sent. It is put into words for its reader here, because an error before the
 * request passes no other place that does this.
 *
 * @param problem what is wrong, naming the field; never with the value that it holds
 */
export const refuse = (context: IExecuteSingleFunctions, problem: string, advice: string): NodeOperationError =>
	forReader(context, inputError(context.getNode(), context.getItemIndex(), problem, advice));

/**
 * A field that is sent, changed. The value is taken from the request: to read the field once more, or to change it by an
 * expression, n8n would evaluate one more expression, and those are most of what an item costs.
 */
export function sendChanged(type: Place, property: string, field: INodeProperties, change: Change): INodeProperties {
	const changeSent: PreSendAction = async function (request) {
		const part = type === 'body' ? 'body' : 'qs';
		const values = request[part] as IDataObject;
		return { ...request, [part]: { ...values, [property]: change(this, values[property]) } };
	};
	return { ...field, routing: { send: { type, property, preSend: [changeSent] } } };
}

/** The value of a text field, trimmed, numbers as text; empty for no value. Refuses an object and a list. */
export function readField(context: IExecuteSingleFunctions, value: unknown, { displayName }: INodeProperties): string {
	const { text, problem } = readText(value, displayName);
	if (problem !== undefined) throw refuse(context, problem, TEXT_ADVICE);
	return text;
}

/** The value of a text field that must not be empty. n8n itself checks only what the form contains. */
function readRequired(context: IExecuteSingleFunctions, value: unknown, field: INodeProperties): string {
	const text = readField(context, value, field);
	if (text === '') throw refuse(context, `${field.displayName} is empty`, 'Enter a value, or correct the expression');
	return text;
}

/** A field of text that is not sent, but must not be empty, and what else is to be checked of it. */
export function requiredHere(field: INodeProperties, ...furtherChecks: PreSendAction[]): INodeProperties {
	const check: PreSendAction = async function (request) {
		readRequired(this, this.getNodeParameter(field.name, ''), field);
		return request;
	};
	return { ...field, routing: { send: { preSend: [check, ...furtherChecks] } } };
}

/** A field of text that is sent, trimmed, numbers as text, and must not be empty. */
export const requiredText = (type: Place, property: string, field: INodeProperties): INodeProperties =>
	sendChanged(type, property, field, (context, value) => readRequired(context, value, field));

/** A field of text that is sent, trimmed, numbers as text, unless it is empty. */
export const optionalText = (property: string, field: INodeProperties): INodeProperties =>
	sendChanged('body', property, field, (context, value) => readField(context, value, field) || undefined);

/** A list whose choice is sent, unless it is empty; any other value that an expression makes of it is sent unchanged. */
export const optionalChoice = (property: string, field: INodeProperties): INodeProperties =>
	sendChanged('body', property, field, (context, value) =>
		readField(context, value, field) === '' ? undefined : value,
	);

/** A switch that is sent, unless an expression makes it empty. */
export const optionalSwitch = (property: string, field: INodeProperties): INodeProperties =>
	sendChanged('query', property, field, (_context, value) => (value === '' || value === null ? undefined : value));

/** What a header cannot carry: the HTTP client would drop it without a word. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

/** A field of text that is sent as a header, unless it is empty. */
export function optionalHeader(header: string, field: INodeProperties): INodeProperties {
	const checkHeader: PreSendAction = async function (request) {
		const { [header]: value, ...headers } = request.headers as IDataObject;
		const text = readField(this, value, field);
		if (NOT_IN_HEADERS.test(text)) {
			const problem = `${field.displayName} contains characters that cannot be sent`;
			throw refuse(this, problem, 'Use only letters, digits, and punctuation');
		}
		return { ...request, headers: text ? { ...headers, [header]: text } : headers };
	};
	const routing = { request: { headers: { [header]: '={{ $value }}' } }, send: { preSend: [checkHeader] } };
	return { ...field, routing };
}

function isEncodable(text: string): boolean {
	try {
		encodeURIComponent(text);
		return true;
	} catch {
		return false;
	}
}

/**
 * Tells why a text cannot be one segment of a path, so that no request goes to another endpoint than the one meant.
 *
 * @param text an identifier or a name, from the form, trimmed
 * @returns the problem, as the end of a sentence that begins with the name of its field, or undefined if it can be used
 */
export function findSegmentProblem(text: string): string | undefined {
	if (text === '') return 'is empty';
	// Percent-encoding leaves dots as they are, and every client then takes the segment out of the path.
	if (text === '.' || text === '..') return 'must not be "." or ".."';
	return isEncodable(text) ? undefined : 'contains invalid characters';
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
		const text = readField(this, value, field);
		const problem = findSegmentProblem(text);
		if (problem) {
			const advice = 'Enter the value that the web console of the service shows';
			throw refuse(this, `${field.displayName} ${problem}`, advice);
		}
		// As a function: a replacement text would read "$&" and the like.
		return { ...request, qs, url: request.url.replace(property, () => encodeURIComponent(text)) };
	};
	return { ...field, routing: { send: { type: 'query', property, preSend: [moveIntoPath] } } };
}
