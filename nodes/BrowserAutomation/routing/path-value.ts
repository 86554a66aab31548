import type { IDataObject, INodePropertyRouting, PreSendAction } from 'n8n-workflow';

import { findSegmentProblem } from '../../addresses/path-segment';
import { readField } from './text-field';
import { refuse } from './refuse';

/**
 * Puts the value of a field into the path of the request, as one percent-encoded segment. It comes by way of the query,
 * because n8n hands values over nowhere else, and would evaluate the expressions of a field that is read once more.
 *
 * @param placeholder the name in braces in the path, named as in the OpenAPI document of the service
 * @param label what the field is called in the form
 */
export const pathValue = (placeholder: string, label: string): INodePropertyRouting => {
	const property = `{${placeholder}}`;
	const moveIntoPath: PreSendAction = async function (request) {
		const { [property]: value, ...qs } = request.qs as IDataObject;
		const text = readField(this, value, label);
		const problem = findSegmentProblem(text);
		if (problem) throw refuse(this, `${label} ${problem}`, 'Enter the value that the web console of the service shows');
		// As a function: a replacement text would read "$&" and the like.
		return { ...request, qs, url: request.url.replace(property, () => encodeURIComponent(text)) };
	};
	return { send: { type: 'query', property, preSend: [moveIntoPath] } };
};
