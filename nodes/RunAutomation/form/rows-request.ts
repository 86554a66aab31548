// Reads a form's columns, from fields, an example or a schema, and its rules for rows.

import type { Field } from '../../shared/form/fields';
import { inputError } from '../../shared/failure/failure';
import { fieldOf, quotedLabel } from '../../shared/form/field';
import { readChoice, readEntries, readSwitch, readText } from '../../shared/form/read';
import { isExpression, rejectUnevaluated } from '../../shared/form/expressions';
import type { Execution } from '../../shared/n8n/execution';
import { isJsonObject, readJson, type Json } from '../../shared/values/json';
import { findName, shortenList } from '../../shared/values/text';
import { shapeOf, type Column, type ColumnType } from '../columns/types';
import { columnsInSchema, containsSchema, type SchemaColumns } from '../columns/json-schema';
import { readIncluded } from './included';
import type { FormReader } from './reader';
import { columnFields } from './rows-fields';

export interface RowsRequest {
	columns: Column[];
	about: string;
	columnsFrom: 'example' | 'fields' | 'schema';
	isSingle: boolean;
	onInvalid: 'correction' | 'error' | 'validOnly';
	/** True if a run without rows fails. */
	needsRows: boolean;
	includeRunDetails: boolean;
	included: string[] | 'all';
	notes: string[];
}

function findNameProblem(name: string, earlier: string[], includeRunDetails: boolean): string | undefined {
	if (name === '') return 'A column has no name';
	if (name === 'error') return 'A column cannot be named "error": n8n treats items with this field as failed';
	if (name === 'not_done')
		return 'A column cannot be named "not_done": the agent uses it to report why it could not do its task';
	if (name === '__proto__') return 'A column cannot be named "__proto__"';
	if (name === 'run' && includeRunDetails) return `A column cannot be named "run" if 'Include Run Details' is on`;
	return findName(earlier, name) !== undefined ? `Two columns are named "${name}"` : undefined;
}

const columnsOf = (value: unknown) =>
	[(Object(value) as { column?: unknown }).column ?? []]
		.flat()
		.map((column) => Object(column) as Record<string, unknown>);

/** Agents may write a choice in any case. */
function checkChoices(choices: string[], column: string): string[] {
	const label = `'Choices' of the column "${column}"`;
	if (choices.length === 0) throw inputError(`${label} is empty`, 'Enter the choices, separated by commas');
	const last = new Map(choices.map((choice) => [choice.toLowerCase(), choice]));
	const first = choices.find((choice) => last.get(choice.toLowerCase()) !== choice);
	if (first === undefined) return choices;
	const both = `"${first}" and "${last.get(first.toLowerCase())}"`;
	throw inputError(`${label} has ${both}, which differ only in case`, 'Remove one of them');
}

function columnsInFields(_field: Field, value: unknown, stored: unknown): Column[] {
	const storedColumns = columnsOf(stored);
	return columnsOf(value).map((column, index) => {
		const text = (name: string) => readText(fieldOf(columnFields, name), column[name], storedColumns[index]?.[name]);
		const name = text('name');
		const type = readChoice<ColumnType>(fieldOf(columnFields, 'type'), column.type);
		const choices = () => readEntries(fieldOf(columnFields, 'choices'), column.choices, storedColumns[index]?.choices);
		return {
			name,
			type,
			...(type === 'choice' && { choices: checkChoices(choices(), name) }),
			description: text('description'),
			isRequired: readSwitch(fieldOf(columnFields, 'required'), column.required),
		};
	});
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
function columnsInExample(field: Field, value: unknown, stored: unknown): Column[] {
	const label = quotedLabel(field);
	const advice = 'Enter one row as a JSON object, such as {"name": "Lamp", "price": 12.5}';
	const json = jsonIn(field, value, stored, advice);
	if (containsSchema(json))
		throw inputError(`${label} contains a JSON Schema`, "Set 'Specify Columns' to 'From JSON Schema'");
	const rows = [json].flat();
	if (rows.length === 0 || !rows.every(isJsonObject)) throw inputError(`${label} is not an object`, advice);
	const refuse = (path: string, what: string) => {
		const step = what === 'no value' ? 'Enter a sample value to set the type' : 'Use one type for it in all rows';
		return inputError(`${label} has ${what} for "${path}"`, step);
	};
	const { fields } = shapeOf(rows, '', refuse);
	if (!fields) throw inputError(`${label} is empty`, advice);
	return fields.map((shape) => ({ ...shape, description: '', isRequired: false }));
}

function readColumns({ readField }: FormReader, columnsFrom: RowsRequest['columnsFrom']): SchemaColumns {
	if (columnsFrom === 'schema') {
		return readField('jsonSchema', (field, value, stored) =>
			columnsInSchema(jsonIn(field, value, stored, 'Enter a JSON Schema'), quotedLabel(field)),
		);
	}
	const columns =
		columnsFrom === 'example' ? readField('jsonExample', columnsInExample) : readField('columns', columnsInFields);
	return { columns, about: '', unchecked: [] };
}

const holdsExpression = (value: unknown): boolean =>
	typeof value === 'object' && value !== null ? Object.values(value).some(holdsExpression) : isExpression(value);

/** A redaction policy allows only fixed names in hints: an expression may have made them of values. */
export function hidesNames({ isRedacted, node }: Pick<Execution, 'isRedacted' | 'node'>): boolean {
	const { columns, fieldsToInclude, jsonExample, jsonSchema } = node.parameters;
	return isRedacted && holdsExpression([columns, fieldsToInclude, jsonExample, jsonSchema]);
}

const MAX_NAMED_RULES = 5;

function uncheckedNotes(rules: string[], isHidden: boolean): string[] {
	const named = isHidden ? '' : ` (${shortenList(rules, MAX_NAMED_RULES).join(', ')})`;
	return rules.length
		? [`Rules in 'JSON Schema' that are sent to the agent, but not checked: ${rules.length}${named}`]
		: [];
}

/** @param isHidden whether notes must not have names */
export function readRowsRequest(form: FormReader, isHidden: boolean): RowsRequest {
	const { readField, readOption } = form;
	const includeRunDetails = readOption('includeRunDetails', readSwitch);
	const columnsFrom = readField('columnsFrom', readChoice<RowsRequest['columnsFrom']>);
	const { columns, about, unchecked } = readColumns(form, columnsFrom);
	if (columns.length === 0) throw inputError('No columns are defined', 'Add a column');
	const names = columns.map(({ name }) => name);
	const nameProblem = names
		.map((name, index) => findNameProblem(name, names.slice(0, index), includeRunDetails))
		.find(Boolean);
	if (nameProblem) throw inputError(nameProblem, 'Give each column a unique name of letters, digits and underscores');
	return {
		columns,
		about,
		columnsFrom,
		isSingle: readField('rows', readChoice<string>) === 'one',
		onInvalid: readOption('ifRowsInvalid', readChoice<RowsRequest['onInvalid']>),
		needsRows: readOption('ifNoRows', readChoice<string>) === 'error',
		includeRunDetails,
		included: readIncluded(form),
		notes: uncheckedNotes(unchecked, isHidden),
	};
}
