import type { PostReceiveAction } from 'n8n-workflow';

/**
 * Makes the function that returns what was deleted, instead of the empty response.
 *
 * @param property what the ID is called in the item
 * @param parameter name of the field that holds it
 */
export const returnDeleted = (property: string, parameter: string): PostReceiveAction =>
	async function () {
		return [{ json: { deleted: true, [property]: String(this.getNodeParameter(parameter)) } }];
	};
