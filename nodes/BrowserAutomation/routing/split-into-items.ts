import type { IDataObject, PostReceiveAction } from 'n8n-workflow';

import { toObject } from './return-items';

/**
 * Makes the function that returns one item for each element of a list in the response, if the option *Split Into Items*
 * is on. A response without that list passes through. What is in its item beside the JSON goes to the first of the new
 * items.
 *
 * @param property name of the list in the response
 * @param parameter name of the option
 */
export const splitIntoItems = (property: string, parameter: string): PostReceiveAction =>
	async function (items) {
		if (this.getNodeParameter(parameter, false) !== true) return items;
		return items.flatMap((item) => {
			const list = (item.json as IDataObject | null)?.[property];
			if (!Array.isArray(list)) return [item];
			if (list.length === 0) return item.binary ? [item] : [];
			return list.map((element, index) => ({ ...(index === 0 ? item : {}), json: toObject(element) }));
		});
	};
