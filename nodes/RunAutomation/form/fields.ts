// The form of Run Automation, except its options.

import type { INodeProperties } from 'n8n-workflow';

import {
	backgroundDescription,
	backgroundNotice,
	choiceField,
	notice,
	optionsField,
	switchField,
	taskField,
	threadIdField,
	waitNotice,
} from '../../shared/form/fields';
import { options } from './options';
import { rowsFields } from './rows-fields';

/** Tools have no pinned output, and no person stops them. */
const startNotice = (text: string, ...operation: string[]) =>
	notice('startNotice', text, { show: { operation }, hide: { '@tool': [true] } });

export const fields: INodeProperties[] = [
	choiceField('Operation', 'operation', {
		noDataExpression: true,
		options: [
			{
				name: 'Run and Get Result',
				value: 'result',
				action: 'Run automation and get result',
				description: 'Wait for the run, and return its text, sources, files and data',
			},
			{
				name: 'Run and Get Rows',
				value: 'rows',
				action: 'Run automation and get rows',
				description: 'Wait for the run, and return one item per row with the columns that you define',
			},
			{
				name: 'Start in Background',
				value: 'background',
				action: 'Start automation in background',
				description: backgroundDescription,
			},
			{
				name: 'Run and Get Raw Output',
				value: 'raw',
				action: 'Run automation and get raw output',
				description: "For debugging: the service's output, unchanged",
			},
		],
		default: 'result',
	}),
	startNotice(waitNotice, 'result', 'rows', 'raw'),
	startNotice(backgroundNotice, 'background'),
	notice(
		'toolNotice',
		"Each call starts a billed run that takes minutes. Click the sparkles at 'Task' to let the model write it.",
		{ show: { '@tool': [true] } },
	),
	taskField,
	...rowsFields,
	choiceField('Output', 'output', {
		displayOptions: { show: { operation: ['raw'] } },
		options: [
			{ name: 'Complete Message', value: 'message', description: 'One item with the complete message' },
			{ name: 'Chunks', value: 'chunks', description: 'One item per chunk of the stream' },
		],
		default: 'message',
		description: 'How to split the raw output into items',
	}),
	threadIdField,
	switchField('Simplify', 'simplify', {
		displayOptions: { show: { operation: ['result'] }, hide: { '@tool': [true] } },
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	}),
	optionsField(options),
];
