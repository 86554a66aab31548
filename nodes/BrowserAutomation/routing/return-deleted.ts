import type { PostReceiveAction } from 'n8n-workflow';

/**
 * Makes the function that puts out what was deleted, instead of the empty answer to it.
 *
 * @param property what the ID is called in the item
 * @param parameter name of the field that holds it
 */
export const returnDeleted = (property: string, parameter: string): PostReceiveAction =>
	async function () {
		return [{ json: { deleted: true, [property]: String(this.getNodeParameter(parameter)) } }];
	};
