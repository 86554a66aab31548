import type { PostReceiveAction } from 'n8n-workflow';

/**
 * Makes the function that puts out what was deleted, instead of the empty answer to it (contract, 4.9 and 4.10).
 *
 * @param property what the ID is called in the item
 * @param parameter name of the field that holds it
 */
export const putOutDeleted = (property: string, parameter: string): PostReceiveAction =>
	async function () {
		return [{ json: { deleted: true, [property]: String(this.getNodeParameter(parameter)) } }];
	};
