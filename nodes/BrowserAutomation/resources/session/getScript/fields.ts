import type { INodeProperties } from 'n8n-workflow';

import { optionalSwitch, requireText } from '../../../routing/text-field';

const show = { resource: ['session'], operation: ['getScript'] };

/** The form of Get Script. */
export const getScriptFields: INodeProperties[] = [
	{
		displayName: 'Runnable Script',
		name: 'asWorkflow',
		type: 'boolean',
		default: true,
		displayOptions: { show },
		description: 'Whether to return a script that runs by itself instead of the relevant instructions only',
		routing: optionalSwitch('as_workflow'),
	},
	{
		displayName: 'Split Into Items',
		name: 'splitIntoItems',
		type: 'boolean',
		default: false,
		displayOptions: { show },
		description: 'Whether to return one item per action instead of the whole response',
	},
	{
		displayName: 'Download Script',
		name: 'addScriptFile',
		type: 'boolean',
		default: false,
		displayOptions: { show },
		description: 'Whether to return the Python script as binary data of the first item',
	},
	{
		displayName: 'Output Data Field Name',
		name: 'scriptField',
		type: 'string',
		default: 'script',
		required: true,
		displayOptions: { show: { ...show, addScriptFile: [true] } },
		hint: 'The name of the output field to put the binary file data in',
		routing: { send: { preSend: [requireText('scriptField', 'Output Data Field Name')] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show },
		options: [
			{
				displayName: 'Infer Response Format',
				name: 'inferResponseFormat',
				type: 'boolean',
				default: false,
				description: 'Whether the service should infer a response format for scrape steps that have none',
				routing: optionalSwitch('infer_response_format'),
			},
		],
	},
];
