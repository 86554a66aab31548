import type { INodeProperties } from 'n8n-workflow';

import type { ColumnType } from '../rows/types';

/** In the order in which columns need them. */
const TYPE_NAMES: Record<ColumnType, string> = {
	text: 'Text',
	number: 'Number',
	link: 'Link',
	choice: 'Choice',
	date: 'Date & Time',
	boolean: 'Boolean',
	list: 'List',
	object: 'Object',
};

const rowsOnly = { operation: ['rows'] };

export const columnFields: INodeProperties[] = [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. unit_price',
		description: 'Name of the column. A data table accepts letters, digits and underscores only.',
	},
	{
		displayName: 'Type',
		name: 'type',
		type: 'options',
		typeOptions: { showEvenWhenOptional: true },
		options: Object.entries(TYPE_NAMES).map(([value, name]) => ({ name, value })),
		default: 'text',
		description: 'Type that each value must have. Dates are returned as text in ISO 8601.',
	},
	{
		displayName: 'Choices',
		name: 'choices',
		type: 'string',
		typeOptions: { rows: 2 },
		required: true,
		displayOptions: { show: { type: ['choice'] } },
		default: '',
		placeholder: 'e.g. new, used, refurbished',
		description:
			'The values that are allowed, separated by commas. If a value contains a comma, write one per line. Returned as you write them here.',
	},
	{
		displayName: 'Description',
		name: 'description',
		type: 'string',
		default: '',
		placeholder: 'e.g. Price of one unit in euros',
		description: 'What the agent should put in this column',
	},
	{
		displayName: 'Required',
		name: 'required',
		type: 'boolean',
		default: false,
		description: 'Whether a row without a value in this column does not fit',
	},
];

export const rowsFields: INodeProperties[] = [
	{
		displayName: 'Specify Columns',
		name: 'columnsFrom',
		type: 'options',
		displayOptions: { show: rowsOnly },
		options: [
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'Name each column and choose its type',
			},
			{
				name: 'From JSON Example',
				value: 'example',
				description: 'Take names and types of the columns from an example row',
			},
		],
		default: 'fields',
		description: 'How to define the columns of the rows. If you switch, n8n drops what you entered the other way.',
	},
	{
		displayName: 'Columns',
		name: 'columns',
		type: 'fixedCollection',
		// Older versions of n8n show all fields of a column.
		typeOptions: {
			multipleValues: true,
			sortable: true,
			hideOptionalFields: true,
			addOptionalFieldButtonText: 'Add Detail',
		},
		placeholder: 'Add Column',
		displayOptions: { show: { ...rowsOnly, columnsFrom: ['fields'] } },
		default: { column: [{ name: '', type: 'text' }] },
		description: 'The columns, in the order in which each item has them',
		options: [
			{
				displayName: 'Column',
				name: 'column',
				values: columnFields,
			},
		],
	},
	{
		displayName: 'JSON Example',
		name: 'jsonExample',
		type: 'json',
		required: true,
		displayOptions: { show: { ...rowsOnly, columnsFrom: ['example'] } },
		default: '{\n\t"name": "Desk lamp",\n\t"price": 24.9,\n\t"in_stock": true,\n\t"available_from": "2026-01-31"\n}',
		description:
			'One row as a JSON object. Its keys become the columns, and its values set their types, also inside objects and lists. A date in ISO 8601 makes a date column, and a full web address a link column.',
	},
	{
		displayName: 'Rows',
		name: 'rows',
		type: 'options',
		displayOptions: { show: rowsOnly },
		options: [
			{ name: 'A List', value: 'list', description: 'Return one item per row' },
			{ name: 'Exactly One', value: 'one', description: 'Return one item; more than one row does not fit' },
		],
		default: 'list',
		description: 'How many rows a run returns',
	},
	{
		displayName: 'Include',
		name: 'include',
		type: 'options',
		displayOptions: { show: { ...rowsOnly, '@tool': [false] } },
		options: [
			{ name: 'No Other Fields', value: 'noOtherFields', description: 'Return the columns only' },
			{
				name: 'All Other Fields',
				value: 'allOtherFields',
				description: 'Copy every field of the input item except "error": n8n treats items with it as failed',
			},
			{
				name: 'Selected Other Fields',
				value: 'selectedOtherFields',
				description: 'Copy some fields of the input item',
			},
		],
		default: 'noOtherFields',
		description:
			'Whether to copy fields of the input item to each of its rows, in front of the columns. Without them, each row is still linked to its input item, but does not show its fields. A column of the same name wins. A Data Table with automatic mapping needs columns for them, too.',
	},
	{
		displayName: 'Fields To Include',
		name: 'fieldsToInclude',
		type: 'string',
		requiresDataPath: 'multiple',
		displayOptions: { show: { ...rowsOnly, include: ['selectedOtherFields'] } },
		default: '',
		placeholder: 'e.g. company, website',
		description: 'Names of the fields, separated by commas',
	},
];
