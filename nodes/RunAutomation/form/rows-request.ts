// Reads a form's columns, from fields, an example or a schema, and its rules for rows.

import type { Schema } from '@cfworker/json-schema';

import type { Field } from '../../shared/form/fields';
import { inputError } from '../../shared/failure/failure';
import { fieldOf, quotedLabel } from '../../shared/form/field';
import { readChoice, readEntries, readSwitch, readText } from '../../shared/form/read';
import { rejectUnevaluated } from '../../shared/form/expressions';
import { isJsonObject, plain, readJson, type Json } from '../../shared/values/json';
import { findName } from '../../shared/values/text';
import { rowsFormat, schemaOf, type RowsFormat } from '../columns/schema';
import { readIncluded } from './included';
import type { FormReader } from './reader';
import { COLUMN_TYPES, columnFields, rowsFields } from './rows-fields';

export interface RowsRequest extends RowsFormat {
	columnsFrom: 'example' | 'fields' | 'schema';
	onInvalid: 'error' | 'validOnly';
	includeRunDetails: boolean;
	included: string[] | 'all';
}

const UNIQUE_NAMES = 'Give each column a unique name of letters, digits and underscores';

function findNameProblem(name: string, includeRunDetails: boolean): string | undefined {
	if (name === '') return 'A column has no name';
	if (name === 'error') return 'A column cannot be named "error": n8n treats items with this field as failed';
	if (name === 'not_done')
		return 'A column cannot be named "not_done": the agent uses it to report why it could not do its task';
	if (name === '__proto__') return 'A column cannot be named "__proto__"';
	if (name === 'run' && includeRunDetails) return `A column cannot be named "run" if 'Include Run Details' is on`;
	return undefined;
}

const columnsOf = (value: unknown) =>
	[(Object(value) as { column?: unknown }).column ?? []]
		.flat()
		.map((column) => Object(column) as Record<string, unknown>);

function schemaInFields(_field: Field, value: unknown, stored: unknown): Schema {
	const storedColumns = columnsOf(stored);
	const columns = columnsOf(value).map((column, index) => {
		const text = (name: string) => readText(fieldOf(columnFields, name), column[name], storedColumns[index]?.[name]);
		const name = text('name');
		const description = text('description');
		const type = readChoice<keyof typeof COLUMN_TYPES>(fieldOf(columnFields, 'type'), column.type);
		const choices = () => {
			const found = readEntries(fieldOf(columnFields, 'choices'), column.choices, storedColumns[index]?.choices);
			if (found.length > 0) return found;
			throw inputError(`'Choices' of the column "${name}" is empty`, 'Enter the choices, separated by commas');
		};
		const schema: Schema = {
			...COLUMN_TYPES[type].schema,
			...(type === 'choice' && { enum: choices() }),
			...(description && { description }),
		};
		return { name, schema, isRequired: readSwitch(fieldOf(columnFields, 'required'), column.required) };
	});
	if (columns.length === 0) throw inputError('No columns are defined', 'Add a column');
	const names = columns.map(({ name }) => name);
	const twice = names.find((name, index) => findName(names.slice(0, index), name) !== undefined);
	if (twice !== undefined) throw inputError(`Two columns are named "${twice}"`, UNIQUE_NAMES);
	return {
		type: 'object',
		properties: Object.fromEntries(columns.map(({ name, schema }) => [name, schema])),
		required: columns.filter(({ isRequired }) => isRequired).map(({ name }) => name),
	};
}

/** An expression may return an object. */
function jsonIn(field: Field, value: unknown, stored: unknown, advice: string): Json {
	rejectUnevaluated(field, stored);
	const given = value ?? '';
	const text = typeof given === 'string' ? given : String(JSON.stringify(given));
	if (text.trim() === '') throw inputError(`${quotedLabel(field)} is empty`, advice);
	const { json, problem } = readJson(text);
	if (problem !== undefined) throw inputError(`${quotedLabel(field)} is not valid: ${problem}`, advice);
	return json;
}

/** The example is one row, or several that together give the columns. */
function schemaInExample(field: Field, value: unknown, stored: unknown): Schema {
	const label = quotedLabel(field);
	const advice = 'Enter one row as a JSON object, such as {"name": "Lamp", "price": 12.5}';
	const json = jsonIn(field, value, stored, advice);
	const rows = [json].flat();
	if (rows.length === 0 || !rows.every(isJsonObject)) throw inputError(`${label} is not an object`, advice);
	if (rows.some(({ type, properties }) => type === 'object' && properties !== undefined))
		throw inputError(`${label} contains a JSON Schema`, "Set 'Specify Columns' to 'From JSON Schema'");
	return schemaOf(rows, '', (path, what) => {
		const step = what === 'no value' ? 'Enter a sample value to set the type' : 'Use one type for it in all rows';
		return inputError(`${label} has ${what} for "${path}"`, step);
	});
}

function schemaInSchema(field: Field, value: unknown, stored: unknown): Schema {
	const advice = 'Enter a JSON Schema';
	const json = jsonIn(field, value, stored, advice);
	if (isJsonObject(json)) return plain(json) as Schema;
	throw inputError(`${quotedLabel(field)} is not an object`, advice);
}

const SCHEMA_FROM = {
	example: { field: 'jsonExample', read: schemaInExample },
	fields: { field: 'columns', read: schemaInFields },
	schema: { field: 'jsonSchema', read: schemaInSchema },
};

export function readRowsRequest(form: FormReader): RowsRequest {
	const { readField, readOption } = form;
	const includeRunDetails = readOption('includeRunDetails', readSwitch);
	const columnsFrom = readField('columnsFrom', readChoice<RowsRequest['columnsFrom']>);
	const { field, read } = SCHEMA_FROM[columnsFrom];
	const isSingle = readField('rows', readChoice<string>) === 'one';
	const refuse = (problem: string) =>
		inputError(
			`${quotedLabel(fieldOf(rowsFields, field))} ${problem}`,
			'Enter only the schema of a row, or of a list of rows',
		);
	const format = rowsFormat(readField(field, read), isSingle, refuse);
	const nameProblem = format.columns.map((name) => findNameProblem(name, includeRunDetails)).find(Boolean);
	if (nameProblem) throw inputError(nameProblem, UNIQUE_NAMES);
	return {
		...format,
		columnsFrom,
		onInvalid: readOption('ifRowsInvalid', readChoice<RowsRequest['onInvalid']>),
		includeRunDetails,
		included: readIncluded(form),
	};
}
