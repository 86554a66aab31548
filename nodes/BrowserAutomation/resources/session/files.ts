import type {
	IBinaryData,
	IDataObject,
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeProperties,
	PostReceiveAction,
} from 'n8n-workflow';

import { inPath, isOn } from '../../routing/request-fields';

export const sessionIdField: INodeProperties = inPath('session_id', {
	displayName: 'Session ID',
	name: 'sessionId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. session_123',
	description: 'ID of the cloud browser session. A run reports only its thread.',
	hint: 'Copy it from the list of sessions in the web console of the service',
});

/** Name of a file about the session of the form. */
export function fileName(context: IExecuteSingleFunctions, extension: string): string {
	const id = String(context.getNodeParameter('sessionId', '')).replace(/[^\w-]+/g, '_');
	return `${id}.${extension}`;
}

/** Adds a file to the items, in the binary field that a parameter names. */
export function addFile(
	context: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	parameter: string,
	file: IBinaryData,
): INodeExecutionData[] {
	const field = String(context.getNodeParameter(parameter));
	return items.map((item) => ({ ...item, binary: { ...item.binary, [field]: file } }));
}

/** Makes the function that adds a text of the response as a file, if the form says so and the response has it. */
export const addTextFile = (
	property: string,
	{ isWanted, field }: { isWanted: INodeProperties; field: string },
	extension: string,
	mediaType: string,
): PostReceiveAction =>
	async function (items, { body }) {
		const text = (Object(body) as IDataObject)[property];
		if (!isOn(this, isWanted) || typeof text !== 'string') return items;
		const bytes = Buffer.from(text, 'utf8');
		const file = await this.helpers.prepareBinaryData(bytes, fileName(this, extension), mediaType);
		return addFile(this, items, field, file);
	};
