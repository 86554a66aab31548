import type { INodeProperties } from 'n8n-workflow';

import { optionalSwitch, requiredHere } from '../../routing/request-fields';
import type { Operation } from '../../routing/operation';
import { splitIntoItems } from '../../routing/read-response';
import { addTextFile } from './files';

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

const addScript = addTextFile(
	'python_script',
	{ isWanted: downloadScript, field: 'scriptField' },
	'py',
	'text/x-python',
);

export const getScript: Operation = {
	name: 'Get Script',
	value: 'getScript',
	action: 'Get session script',
	description: 'Get the actions of a session as a list and as a Python script',
	request: { method: 'GET', url: '/sessions/{session_id}/workflow/code' },
	read: [addScript, splitIntoItems('json_actions', perAction)],
	fields: [
		optionalSwitch('as_workflow', {
			displayName: 'Runnable Script',
			name: 'asWorkflow',
			type: 'boolean',
			default: true,
			description: 'Whether to return a script that runs by itself instead of the relevant instructions only',
		}),
		perAction,
		downloadScript,
		requiredHere({
			displayName: 'Output Data Field Name',
			name: 'scriptField',
			type: 'string',
			default: 'script',
			required: true,
			displayOptions: { show: { addScriptFile: [true] } },
			hint: 'The name of the output field to put the binary file data in',
		}),
	],
	options: [
		optionalSwitch('infer_response_format', {
			displayName: 'Infer Response Format',
			name: 'inferResponseFormat',
			type: 'boolean',
			default: false,
			description: 'Whether the service should infer a response format for scrape steps that have none',
		}),
	],
};
