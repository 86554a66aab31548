import type { PreSendAction } from 'n8n-workflow';

import { encodeSegment, findSegmentFault } from '../../shared/path-segment';
import { refusal } from './refusal';

/**
 * Makes the function that puts the value of a field into the path of the request, as one percent-encoded segment.
 *
 * @param placeholder what stands in braces in the path, named as in the contract
 * @param parameter name of the field
 * @param label what the field is called in the form
 */
export const pathValue = (placeholder: string, parameter: string, label: string): PreSendAction =>
	async function (request) {
		const value = this.getNodeParameter(parameter, '');
		const fault = findSegmentFault(value);
		if (fault) throw refusal(this, `${label} ${fault}`, `Correct the field ${label}`);
		// As a function: a replacement text would read "$&" and the like.
		return { ...request, url: request.url.replace(`{${placeholder}}`, () => encodeSegment(value)) };
	};
