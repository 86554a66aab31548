import type { INodeProperties } from 'n8n-workflow';

import { optionalSwitch, requireText } from '../../../routing/text-field';

const show = { resource: ['session'], operation: ['getScript'] };

/** The form of Get Script. */
export const getScriptFields: INodeProperties[] = [
	{
		displayName: 'Standalone Workflow',
		name: 'asWorkflow',
		type: 'boolean',
		default: true,
		displayOptions: { show },
		description: 'Whether the script is a workflow that runs by itself, or only the instructions that matter',
		routing: optionalSwitch('as_workflow'),
	},
	{
		displayName: 'Split Into Items',
		name: 'splitIntoItems',
		type: 'boolean',
		default: false,
		displayOptions: { show },
		description: 'Whether to put out each action as an item of its own, instead of the whole answer',
	},
	{
		displayName: 'Add Script File',
		name: 'addScriptFile',
		type: 'boolean',
		default: false,
		displayOptions: { show },
		description: 'Whether to put out the Python script also as a file, with the first item',
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
				description:
					'Whether the service makes up a response format for those steps that scrape by instructions and have none',
				routing: optionalSwitch('infer_response_format'),
			},
		],
	},
];
