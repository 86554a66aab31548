import type { IBinaryData, IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Call } from '../../routing/operation';
import { inPath } from '../../routing/request-fields';

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

export const NO_SESSION =
	"Check that this is a Session ID from the web console, not a thread ID. If it is, check 'Base URL' in the credential";

/** Name of a file about the session of the form. */
export const fileName = ({ values }: Call, extension: string): string =>
	`${(values.sessionId as string).replace(/[^\w-]+/g, '_')}.${extension}`;

/** Adds a file to an item, in the binary field that a field of the form names. */
export const addFile = ({ values }: Call, item: INodeExecutionData, field: string, file: IBinaryData) => ({
	...item,
	binary: { ...item.binary, [values[field] as string]: file },
});

/** A text of the response as a file: whether and where the form wants it, and what it is. */
interface TextFile {
	property: string;
	isWanted: INodeProperties;
	field: string;
	extension: string;
	mediaType: string;
}

/** Adds a text of the response to an item as a file, if the form says so and the response has it. */
export async function addTextFile(
	call: Call,
	item: INodeExecutionData,
	body: unknown,
	{ property, isWanted, field, extension, mediaType }: TextFile,
): Promise<INodeExecutionData> {
	const text = (Object(body) as IDataObject)[property];
	if (!call.values[isWanted.name] || typeof text !== 'string') return item;
	const bytes = Buffer.from(text, 'utf8');
	const file = await call.context.helpers.prepareBinaryData(bytes, fileName(call, extension), mediaType);
	return addFile(call, item, field, file);
}
