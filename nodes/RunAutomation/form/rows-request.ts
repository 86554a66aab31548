// Reads a form's columns, from fields, an example or a schema, and what each row gets of the input.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Schema } from '@cfworker/json-schema';

import { fieldOf, quotedLabel, type Field } from '../../shared/form/fields';
import { inputError } from '../../shared/failure/failure';
import { readChoice, readEntries, readJsonField, readSwitch, readText } from '../../shared/form/read';
import { isJsonObject, plain } from '../../shared/values/json';
import { fieldName, valueAt } from '../../shared/values/nested';
import { findName, shorten } from '../../shared/values/text';
import { rowsFormat, schemaOf, type RowsFormat } from '../columns/schema';
import type { FormReader } from './reader';
import { COLUMN_TYPES, columnDetails, columnFields } from './fields';
import { optionFields } from './options';

export interface RowsRequest extends RowsFormat {
	columnsFrom: 'example' | 'fields' | 'schema';
	onInvalid: 'error' | 'validOnly';
	includeRunDetails: boolean;
	/** The input fields of each row, as the JSON that n8n saves. */
	included: IDataObject;
}

/** All input items. Names are remembered, because there may be thousands of items. */
export class InputFields {
	private readonly known = new Map<string, boolean>();

	constructor(readonly inputs: INodeExecutionData[]) {}

	/** True if any item has a field of this name. */
	has(name: string): boolean {
		const found = this.known.get(name) ?? this.inputs.some(({ json }) => valueAt(json, name) !== undefined);
		this.known.set(name, found);
		return found;
	}
}

const INCLUDE = quotedLabel(fieldOf(optionFields, 'includeFields'));

const UNIQUE_NAMES = 'Give each column a unique name of letters, digits and underscores';

function findNameProblem(name: string, includeRunDetails: boolean): string | undefined {
	if (name === '') return 'A column has no name';
	if (name === 'error') return 'A column cannot be named "error": n8n treats items with this field as failed';
	if (name === 'not_done')
		return 'A column cannot be named "not_done": the agent uses it to report why it could not do its task';
	if (name === 'run' && includeRunDetails) return `A column cannot be named "run" if 'Include Run Details' is on`;
	return undefined;
}

/** Each column as a property, from the fields of the form. */
function schemaInFields(_field: Field, value: unknown, stored: unknown): Schema {
	const columnsIn = (collection: unknown) =>
		[(Object(collection) as { column?: unknown }).column ?? []]
			.flat()
			.map((column) => Object(column) as Record<string, unknown>);
	const storedColumns = columnsIn(stored);
	const properties: Array<[string, Schema]> = [];
	const required: string[] = [];
	for (const [index, column] of columnsIn(value).entries()) {
		const text = (name: string) => readText(fieldOf(columnFields, name), column[name], storedColumns[index]?.[name]);
		const name = text('name');
		const details = Object(column.details) as Record<string, unknown>;
		const description = readText(fieldOf(columnDetails, 'description'), details.description);
		const type = readChoice<keyof typeof COLUMN_TYPES>(fieldOf(columnFields, 'type'), column.type);
		const schema: Schema = { ...COLUMN_TYPES[type].schema };
		if (type === 'choice') {
			schema.enum = readEntries(fieldOf(columnFields, 'choices'), column.choices, storedColumns[index]?.choices);
			if (schema.enum.length === 0)
				throw inputError(`'Choices' of the column "${name}" is empty`, 'Enter the choices, separated by commas');
		}
		if (description) schema.description = description;
		if ('required' in details && readSwitch(fieldOf(columnDetails, 'required'), details.required)) required.push(name);
		properties.push([name, schema]);
	}
	if (properties.length === 0) throw inputError('No columns are defined', 'Add a column');
	const names = properties.map(([name]) => name);
	if (names.includes('__proto__')) throw inputError('A column cannot be named "__proto__"', UNIQUE_NAMES);
	const twice = names.find((name, index) => findName(names.slice(0, index), name) !== undefined);
	if (twice !== undefined) throw inputError(`Two columns are named "${twice}"`, UNIQUE_NAMES);
	return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

/** The example is one row, or several that together give the columns. */
function schemaInExample(field: Field, value: unknown, stored: unknown): Schema {
	const label = quotedLabel(field);
	const advice = 'Enter one row as a JSON object, such as {"name": "Lamp", "price": 12.5}';
	const rows = [readJsonField(field, value, stored, advice)].flat();
	if (!rows.every(isJsonObject)) throw inputError(`${label} is not an object`, advice);
	if (rows.flatMap(Object.keys).length === 0) throw inputError(`${label} is empty`, advice);
	if (rows.some(({ type, properties }) => type === 'object' && properties !== undefined))
		throw inputError(`${label} contains a JSON Schema`, "Set 'Specify Columns' to 'From JSON Schema'");
	return schemaOf(rows, '', label);
}

function schemaInSchema(field: Field, value: unknown, stored: unknown): Schema {
	const advice = 'Enter a JSON Schema';
	const json = readJsonField(field, value, stored, advice);
	if (isJsonObject(json)) return plain(json) as Schema;
	throw inputError(`${quotedLabel(field)} is not an object`, advice);
}

const SCHEMA_FROM = {
	example: { name: 'jsonExample', read: schemaInExample },
	fields: { name: 'columns', read: schemaInFields },
	schema: { name: 'jsonSchema', read: schemaInSchema },
};

export function readRowsRequest(
	form: FormReader,
	inputFields: InputFields,
	itemIndex: number,
	isTool: boolean,
): RowsRequest {
	const { json } = inputFields.inputs[itemIndex]!;
	const includeRunDetails = form.read('includeRunDetails', readSwitch);
	const columnsFrom = form.read('columnsFrom', readChoice<RowsRequest['columnsFrom']>);
	const { name: fieldOfColumns, read } = SCHEMA_FROM[columnsFrom];
	const isSingle = form.read('rowsPerRun', readChoice<string>) === 'one';
	const format = form.read(fieldOfColumns, (field, value, stored) =>
		rowsFormat(read(field, value, stored), isSingle, quotedLabel(field)),
	);
	const nameProblem = format.columns.map((name) => findNameProblem(name, includeRunDetails)).find(Boolean);
	if (nameProblem) throw inputError(nameProblem, UNIQUE_NAMES);
	const onInvalid = form.read('ifRowsInvalid', readChoice<RowsRequest['onInvalid']>);

	// A tool's form does not have this option.
	let names = isTool ? [] : form.read('includeFields', readEntries).map(fieldName);
	if (names.includes('*')) names = Object.keys(json);
	const unknown = names.find((name) => !inputFields.has(name));
	if (unknown !== undefined)
		throw inputError(
			`No input item has a field named "${unknown}"`,
			`Correct the name in ${INCLUDE} to match the input`,
		);
	const included: IDataObject = {};
	// n8n treats items with a field "error" as failed.
	for (const name of names.filter((one) => one !== 'error')) {
		try {
			// If a field cannot be JSON, n8n would later lose billed rows (n8n#33172).
			included[name] = JSON.parse(JSON.stringify(valueAt(json, name) ?? null) ?? 'null') as IDataObject[string];
		} catch {
			const reason = `The input field "${shorten(name)}" cannot be included: it cannot be saved as JSON`;
			throw inputError(reason, `Choose other fields in ${INCLUDE}, or correct it in an earlier node`);
		}
	}
	return { ...format, columnsFrom, onInvalid, includeRunDetails, included };
}
