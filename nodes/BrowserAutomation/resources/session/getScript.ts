import type { IN8nHttpFullResponse, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { sent } from '../../routing/request-fields';
import type { Call, Operation } from '../../routing/operation';
import { itemsOf } from '../../routing/read-response';
import { addTextFile, NO_SESSION } from './files';

const perAction: INodeProperties = {
	displayName: 'Split Into Items',
	name: 'splitIntoItems',
	type: 'boolean',
	default: false,
	description: 'Whether to return one item per action instead of the whole response',
};

const downloadScript: INodeProperties = {
	displayName: 'Download Script',
	name: 'addScriptFile',
	type: 'boolean',
	default: false,
	description: 'Whether to return the Python script as binary data of the first item',
};

const script = {
	property: 'python_script',
	isWanted: downloadScript,
	field: 'scriptField',
	extension: 'py',
	mediaType: 'text/x-python',
};

/** The actions, or the response as a whole; the file is with the first item, also if there is no action. */
async function readScript({ body }: IN8nHttpFullResponse, call: Call): Promise<INodeExecutionData[]> {
	const items = itemsOf(body, call.values[perAction.name] ? 'json_actions' : undefined);
	const [whole] = itemsOf(body);
	if (!whole) return [];
	const first = await addTextFile(call, items[0] ?? whole, body, script);
	return first.binary ? [first, ...items.slice(1)] : items;
}

export const getScript: Operation = {
	name: 'Get Script',
	value: 'getScript',
	action: 'Get session script',
	description: 'Get the actions of a session as a list and as a Python script',
	request: { method: 'GET', url: '/sessions/{session_id}/workflow/code' },
	notFound: NO_SESSION,
	read: readScript,
	fields: [
		sent('query', 'as_workflow', {
			displayName: 'Runnable Script',
			name: 'asWorkflow',
			type: 'boolean',
			default: true,
			description: 'Whether to return a script that runs by itself instead of the relevant instructions only',
		}),
		perAction,
		downloadScript,
		{
			displayName: 'Output Data Field Name',
			name: 'scriptField',
			type: 'string',
			default: 'script',
			required: true,
			displayOptions: { show: { addScriptFile: [true] } },
			hint: 'The name of the output field to put the binary file data in',
		},
	],
	options: [
		sent('query', 'infer_response_format', {
			displayName: 'Infer Response Format',
			name: 'inferResponseFormat',
			type: 'boolean',
			default: false,
			description: 'Whether the service should infer a response format for scrape steps that have none',
		}),
	],
};
