import type { INodePropertyRouting, PreSendAction } from 'n8n-workflow';

import { refusal } from './refusal';

/**
 * Makes the function that refuses a field which is empty or no text when its expressions are evaluated. n8n itself only
 * looks at what stands in the form.
 */
export const requireText = (parameter: string, label: string): PreSendAction =>
	async function (request) {
		const value: unknown = this.getNodeParameter(parameter, '');
		if (typeof value === 'object' && value !== null) {
			throw refusal(this, `${label} is not a text`, `Correct the field ${label}`);
		}
		if (String(value ?? '').trim() === '') throw refusal(this, `${label} is empty`, `Fill in the field ${label}`);
		return request;
	};

/** Sends a required field of text, numbers as text. */
export const requiredText = (
	type: 'body' | 'query',
	property: string,
	parameter: string,
	label: string,
): INodePropertyRouting => ({
	send: { type, property, value: '={{ String($value ?? "") }}', preSend: [requireText(parameter, label)] },
});

/** Sends an optional field of text, numbers as text; nothing where it is empty. */
export const optionalText = (property: string): INodePropertyRouting => ({
	send: { type: 'body', property, value: '={{ String($value ?? "").trim() || undefined }}' },
});

/** Sends an optional field of text as a header; nothing where it is empty. */
export const optionalHeader = (header: string): INodePropertyRouting => ({
	request: { headers: { [header]: '={{ String($value ?? "").trim() || undefined }}' } },
});

/** Sends the choice of an option list, whatever an expression makes of it; nothing where it is empty. */
export const optionalChoice = (property: string): INodePropertyRouting => ({
	send: { type: 'body', property, value: '={{ $value === "" ? undefined : ($value ?? undefined) }}' },
});
