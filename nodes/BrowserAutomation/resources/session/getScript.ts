import type { INodeProperties } from 'n8n-workflow';

import { optionsField } from '../../../form/shared-fields';
import { outputField, sent, type Operation } from '../operation';

const downloadScript: INodeProperties = {
	displayName: 'Download Script',
	name: 'addScriptFile',
	type: 'boolean',
	default: false,
	description: 'Whether to return the Python script as binary data of the first item',
};

export const getScript: Operation = {
	name: 'Get Script',
	value: 'getScript',
	action: 'Get session script',
	description: 'Get the actions of a session as a list and as a Python script',
	request: { method: 'GET', url: '/sessions/{session_id}/workflow/code' },
	list: 'json_actions',
	file: { property: 'python_script', field: 'scriptField', extension: 'py', mediaType: 'text/x-python' },
	fields: [
		sent('query', 'as_workflow', {
			displayName: 'Runnable Script',
			name: 'asWorkflow',
			type: 'boolean',
			default: true,
			description: 'Whether to return a script that runs by itself instead of the relevant instructions only',
		}),
		{
			displayName: 'Split Into Items',
			name: 'splitIntoItems',
			type: 'boolean',
			default: false,
			description: 'Whether to return one item per action instead of the whole response',
		},
		downloadScript,
		outputField('Output Data Field Name', 'script', downloadScript, 'binary file data'),
		optionsField([
			sent('query', 'infer_response_format', {
				displayName: 'Infer Response Format',
				name: 'inferResponseFormat',
				type: 'boolean',
				default: false,
				description: 'Whether the service should infer a response format for scrape steps that have none',
			}),
		]),
	],
};
