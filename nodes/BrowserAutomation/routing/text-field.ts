import type { IDataObject, IExecuteSingleFunctions, INodePropertyRouting, PreSendAction } from 'n8n-workflow';

import { refusal } from './refusal';

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

/** The value of a required field as text. */
function readText(context: IExecuteSingleFunctions, value: unknown, label: string): string {
	if (typeof value === 'object' && value !== null) {
		throw refusal(context, `${label} is not a text`, `Correct the field ${label}`);
	}
	const text = String(value ?? '').trim();
	if (text === '') throw refusal(context, `${label} is empty`, `Fill in the field ${label}`);
	return text;
}

/**
 * Makes the function that refuses a field which is not sent, and which is empty or no text when its expressions are
 * evaluated. n8n itself only looks at what stands in the form.
 */
export const requireText = (parameter: string, label: string): PreSendAction =>
	async function (request) {
		readText(this, this.getNodeParameter(parameter, ''), label);
		return request;
	};

/** Sends a required field of text, trimmed, numbers as text; refuses what {@link requireText} does. */
export const requiredText = (type: Place, property: string, label: string): INodePropertyRouting =>
	sendChanged(type, property, (context, value) => readText(context, value, label));

/** Sends an optional field of text, trimmed, numbers as text; nothing where it is empty. */
export const optionalText = (property: string): INodePropertyRouting =>
	sendChanged('body', property, (_context, value) => String(value ?? '').trim() || undefined);

/** Sends an optional field of text as a header; nothing where it is empty. */
export const optionalHeader = (header: string): INodePropertyRouting => ({
	request: { headers: { [header]: '={{ String($value ?? "").trim() || undefined }}' } },
});

/** Sends the choice of an option list, whatever an expression makes of it; nothing where it is empty. */
export const optionalChoice = (property: string): INodePropertyRouting =>
	sendChanged('body', property, (_context, value) => (value === '' || value === null ? undefined : value));
