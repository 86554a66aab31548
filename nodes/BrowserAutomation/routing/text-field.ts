import type { IDataObject, IExecuteSingleFunctions, INodePropertyRouting, PreSendAction } from 'n8n-workflow';

import { readText, TEXT_ADVICE } from '../../inputs/text';
import { refuse } from './refuse';

/** Where n8n puts the value of a field. */
type Place = 'body' | 'query';

type Change = (context: IExecuteSingleFunctions, value: unknown) => unknown;

/**
 * Sends a field, changed. The value is taken from the request: to read the field once more, or to change it by an
 * expression, n8n would evaluate one more expression, and those are most of what an item costs.
 */
export const sendChanged = (type: Place, property: string, change: Change): INodePropertyRouting => {
	const changeSent: PreSendAction = async function (request) {
		const part = type === 'body' ? 'body' : 'qs';
		const values = request[part] as IDataObject;
		return { ...request, [part]: { ...values, [property]: change(this, values[property]) } };
	};
	return { send: { type, property, preSend: [changeSent] } };
};

/** The value of a text field, trimmed, numbers as text; empty for no value. Refuses an object and a list. */
export function readField(context: IExecuteSingleFunctions, value: unknown, label: string): string {
	const { text, problem } = readText(value, label);
	if (problem !== undefined) throw refuse(context, problem, TEXT_ADVICE);
	return text;
}

/** The value of a text field that must not be empty. */
function readRequired(context: IExecuteSingleFunctions, value: unknown, label: string): string {
	const text = readField(context, value, label);
	if (text === '') throw refuse(context, `${label} is empty`, 'Enter a value, or correct the expression');
	return text;
}

/**
 * Makes the function that refuses a field which is not sent, if it is empty or not text once its expressions are
 * evaluated. n8n itself checks only what the form contains.
 */
export const requireText = (parameter: string, label: string): PreSendAction =>
	async function (request) {
		readRequired(this, this.getNodeParameter(parameter, ''), label);
		return request;
	};

/** Sends a required field of text, trimmed, numbers as text; refuses what {@link requireText} does. */
export const requiredText = (type: Place, property: string, label: string): INodePropertyRouting =>
	sendChanged(type, property, (context, value) => readRequired(context, value, label));

/** Sends an optional field of text, trimmed, numbers as text; nothing if it is empty. */
export const optionalText = (property: string, label: string): INodePropertyRouting =>
	sendChanged('body', property, (context, value) => readField(context, value, label) || undefined);

/** What a header cannot carry: the HTTP client would drop it without a word. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

/** Sends an optional field of text as a header; nothing if it is empty. */
export const optionalHeader = (header: string, label: string): INodePropertyRouting => {
	const checkHeader: PreSendAction = async function (request) {
		const { [header]: value, ...headers } = request.headers as IDataObject;
		const text = readField(this, value, label);
		if (NOT_IN_HEADERS.test(text)) {
			throw refuse(
				this,
				`${label} contains characters that cannot be sent`,
				'Use only letters, digits, and punctuation',
			);
		}
		return { ...request, headers: text ? { ...headers, [header]: text } : headers };
	};
	return { request: { headers: { [header]: '={{ $value }}' } }, send: { preSend: [checkHeader] } };
};

/** Sends the choice of an option list; what an expression makes of it goes out unchanged, nothing if it is empty. */
export const optionalChoice = (property: string, label: string): INodePropertyRouting =>
	sendChanged('body', property, (context, value) => (readField(context, value, label) === '' ? undefined : value));

/** Sends a switch; nothing if an expression makes it empty. */
export const optionalSwitch = (property: string): INodePropertyRouting =>
	sendChanged('query', property, (_context, value) => (value === '' || value === null ? undefined : value));
