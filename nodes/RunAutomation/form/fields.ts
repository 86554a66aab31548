// The form of Run Automation, except its options.

import type { Schema } from '@cfworker/json-schema';
import type { INodeProperties } from 'n8n-workflow';

import {
	backgroundNotice,
	choiceField,
	collectionField,
	jsonField,
	notice,
	optionsField,
	switchField,
	taskField,
	textField,
	threadIdField,
	waitNotice,
} from '../../shared/form/fields';
import { options } from './options';

export const COLUMN_TYPES = {
	boolean: { name: 'Boolean', schema: { type: 'boolean' } },
	choice: { name: 'Choice', schema: { type: 'string' } },
	date: { name: 'Date & Time', schema: { type: 'string', format: 'date-time' } },
	link: { name: 'Link', schema: { type: 'string', format: 'uri' } },
	list: { name: 'List', schema: { type: 'array' } },
	number: { name: 'Number', schema: { type: 'number' } },
	object: { name: 'Object', schema: { type: 'object' } },
	text: { name: 'Text', schema: { type: 'string' } },
} satisfies Record<string, { name: string; schema: Schema }>;

const rowsOnly = { operation: ['rows'] };

export const columnDetails: INodeProperties[] = [
	textField('Description', 'description', {
		placeholder: 'e.g. Price of one unit in euros',
		description: 'What the agent should put in this column',
	}),
	// A detail is shown once it is added, so that it arrives on. Without it, values may be missing.
	switchField('Required', 'required', {
		default: true,
		description: 'Whether a row without a value in this column is invalid',
	}),
];

export const columnFields: INodeProperties[] = [
	textField('Column Name', 'name', {
		isRequired: true,
		placeholder: 'e.g. unit_price',
		description: 'Name of the output field. A data table accepts letters, digits and underscores only.',
	}),
	choiceField('Type', 'type', {
		options: Object.entries(COLUMN_TYPES).map(([value, { name }]) => ({ name, value })),
		default: 'text',
		description: 'Type of each value. Dates are returned as ISO 8601 text.',
	}),
	textField('Choices', 'choices', {
		typeOptions: { rows: 2 },
		displayOptions: { show: { type: ['choice'] } },
		placeholder: 'e.g. new, used, refurbished',
		description:
			'Allowed values, separated by commas, or one per line if a value contains a comma. Returned as entered here.',
	}),
	collectionField('Details', 'details', 'Add Detail', columnDetails),
];

const rowsFields: INodeProperties[] = [
	choiceField('Specify Columns', 'columnsFrom', {
		displayOptions: { show: rowsOnly },
		options: [
			{ name: 'Using Fields Below', value: 'fields', description: 'Name each column and choose its type' },
			{ name: 'From JSON Example', value: 'example', description: 'Derive column names and types from an example row' },
			{ name: 'From JSON Schema', value: 'schema', description: 'Use a schema, such as one from another tool' },
		],
		default: 'fields',
		description: 'How to define the columns. Switching discards columns defined another way.',
	}),
	{
		displayName: 'Columns',
		name: 'columns',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Column',
		displayOptions: { show: { ...rowsOnly, columnsFrom: ['fields'] } },
		default: { column: [{ name: '', type: 'text' }] },
		description: 'Columns to return, in output order',
		options: [{ displayName: 'Column', name: 'column', values: columnFields }],
	},
	jsonField('JSON Example', 'jsonExample', {
		isRequired: true,
		displayOptions: { show: { ...rowsOnly, columnsFrom: ['example'] } },
		default: '{\n\t"name": "Desk lamp",\n\t"price": 24.9,\n\t"in_stock": true,\n\t"available_from": "2026-01-31"\n}',
		description:
			'One row as a JSON object. Keys become columns; values set their types, including inside objects and lists. An ISO 8601 date creates a date column, a full URL a link column.',
	}),
	jsonField('JSON Schema', 'jsonSchema', {
		isRequired: true,
		displayOptions: { show: { ...rowsOnly, columnsFrom: ['schema'] } },
		default: `{
	"type": "object",
	"properties": {
		"name": { "type": "string" },
		"price": { "type": "number" },
		"link": {
			"type": "string",
			"format": "uri"
		}
	},
	"required": ["name"]
}`,
		description:
			'Schema of a row, or of a list of rows. Properties become columns. Types, choices and required values are checked, also inside objects and lists; the agent gets other rules, such as limits, in words.',
	}),
];

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
				// The list truncates longer texts.
				description: 'Return the run link immediately. Getting the result later is also billed.',
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
		"Every call starts a billed run that takes minutes. Click the sparkles at 'Task' to let the model write it.",
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
	optionsField(options),
];
