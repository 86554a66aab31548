import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { isObject } from '../../values/is-object';

/** Any value as the `json` of an item: nothing as `{}`, what is not an object as `{ data: … }`. */
export function toObject(value: unknown): IDataObject {
	if (isObject(value)) return value as IDataObject;
	if (value === undefined || value === '') return {};
	return { data: value as IDataObject['data'] };
}

/**
 * The last step of reading every response. n8n hangs on items whose `json` is not an object, and loses track of items
 * that do not say which input item they come from.
 */
export async function returnItems(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const pairedItem = { item: this.getItemIndex() };
	return items.flatMap((item) => {
		const json: unknown = item.json;
		if (!Array.isArray(json)) return [{ ...item, json: toObject(json), pairedItem }];
		return json.map((element) => ({ json: toObject(element), pairedItem }));
	});
}
