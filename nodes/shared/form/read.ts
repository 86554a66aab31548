// Reads values of fields, with errors that name the field. Both nodes use it.

import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { inputError } from '../failure/failure';
import { booleanIn, hasNoValue, looseKey, nameKey, quoted } from '../values/text';
import { decimalOf, hasUnsafeNumber, isAmbiguous, isJsonObject, plain, readJson, type Json } from '../values/json';
import { quotedLabel, type Field } from './fields';
import { checkExpressions, rejectUnevaluated } from './expressions';

/**
 * @param stored the value before evaluation: an expression may return anything
 * @throws FailureError that names the field
 */
export type FieldReader<T> = (field: Field, value: unknown, stored?: unknown) => T;

/** n8n adds this choice, which does nothing, to *Resource* and *Operation*. */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

const choicesOf = ({ options = [] }: Field): Map<unknown, string> =>
	new Map(
		(options as INodePropertyOptions[])
			.filter(({ value }) => value !== CUSTOM_API_CALL)
			.map(({ name, value }) => [value, name]),
	);

/** A pattern for the whole text would exhaust its stack in a long one. */
const withoutQuotes = (text: string): string =>
	/^["'`]/.test(text) && text.indexOf(text[0]!, 1) === text.length - 1 ? text.slice(1, -1) : text;

/** In these fields, quotes have a meaning. */
const FREE_TEXT = ['query', 'searchQuery'];

/** Models cannot leave out a parameter, and write `null`, `None`, or quotes around values. */
export function fromModel(field: Field & { name: string }, value: unknown, stored: unknown): unknown {
	if (typeof value !== 'string' || value === stored || choicesOf(field).has(value)) return value;
	const text = withoutQuotes(value.trim());
	if (/^(?:null|none|undefined)?$/i.test(text)) return '';
	return FREE_TEXT.includes(field.name) ? value : text;
}

/** The form of one item, as n8n's editor or an AI agent has filled it in. */
export interface FilledForm {
	readonly context: IExecuteFunctions;
	readonly itemIndex: number;
	readonly isTool: boolean;
}

/**
 * Reads one field or option, in which every expression must have a value.
 *
 * @param unset its value if n8n has stored none
 * @throws FailureError that names the field
 */
export function readField<T>(
	{ context, itemIndex, isTool }: FilledForm,
	field: INodeProperties & Field,
	path: string,
	unset: unknown,
	read: FieldReader<T>,
): T {
	const stored = context.getNodeParameter(path, itemIndex, '', { rawExpressions: true });
	const evaluate = (expression: string): unknown => context.evaluateExpression(expression, itemIndex);
	checkExpressions(field, stored, evaluate, isTool);
	const value: unknown = context.getNodeParameter(path, itemIndex, unset);
	return read(field, isTool ? fromModel(field, value, stored) : value, stored);
}

/** Luxon's invalid dates have no text, JavaScript's throw. */
function withoutDate(field: Field, value: unknown): unknown {
	const { toISO, toISOString } = Object(value) as Record<string, unknown>;
	const write = toISO ?? toISOString;
	if (typeof write !== 'function') return value;
	const iso: unknown = toISO || !Number.isNaN(Number(value)) ? write.call(value) : null;
	if (typeof iso === 'string') return iso;
	throw inputError(`${quotedLabel(field)} is not a valid date`, 'Correct the expression in this field');
}

/** A value of any type, which the caller judges. */
export function readRaw(field: Field, value: unknown, stored?: unknown): unknown {
	rejectUnevaluated(field, stored);
	return value;
}

export function readText(field: Field, given: unknown, stored?: unknown): string {
	rejectUnevaluated(field, stored);
	const value = withoutDate(field, hasNoValue(given) ? (field.default ?? '') : given);
	if (typeof value !== 'string' && typeof value !== 'bigint' && !Number.isFinite(value)) {
		const example = `{{ $json.${field.displayName.toLowerCase().replace(/\W+/g, '_')} }}`;
		const advice = `Map a single text field, such as ${example}, not a whole item or list`;
		throw inputError(`${quotedLabel(field)} must be text`, advice);
	}
	return String(value).trim().toWellFormed();
}

export function readRequiredText(field: Field, value: unknown, stored?: unknown): string {
	const text = readText(field, value, stored);
	if (text === '') throw inputError(`${quotedLabel(field)} is empty`, 'Enter a value, or correct the expression');
	return text;
}

function numberIn(value: unknown): number {
	if (typeof value === 'string') return Number(decimalOf(value) ?? Number.NaN);
	return typeof value === 'number' ? value : Number.NaN;
}

export function readNumber(field: Field, value: unknown): number {
	if (hasNoValue(value) && typeof field.default === 'number') return field.default;
	const { minValue, numberPrecision } = field.typeOptions ?? {};
	const number = numberIn(value);
	const isKind = numberPrecision === 0 ? Number.isInteger(number) : Number.isFinite(number);
	if (isKind && number >= (minValue ?? -Infinity)) return number;
	const range = minValue === undefined ? '' : ` of at least ${minValue}`;
	const isUnclear = typeof value === 'string' && isAmbiguous(value);
	const why = isUnclear ? `: ${value.trim()} may mean ${value.trim().replace('.', '')} or ${Number(value)}` : '';
	throw inputError(
		`${quotedLabel(field)} must be a ${numberPrecision === 0 ? 'whole ' : ''}number${range}${why}`,
		`Correct this field. Its default is ${String(field.default)}`,
	);
}

export function readSwitch(field: Field, value: unknown): boolean {
	if (hasNoValue(value)) return field.default as boolean;
	const given = booleanIn(value);
	if (given !== undefined) return given;
	throw inputError(`${quotedLabel(field)} must be true or false`, 'Correct the expression in this field');
}

function choiceError(field: Field, value: unknown): Error {
	if (value === CUSTOM_API_CALL) {
		return inputError(
			"'Custom API Call' is not supported in this node",
			"Use an HTTP Request node, with 'Predefined Credential Type' and this credential",
		);
	}
	const choices = [...choicesOf(field)].map(([known, name]) => `${quoted(name)} (${String(known)})`);
	return inputError(`${quotedLabel(field)} is not one of its choices`, `Choose one of ${choices.join(', ')}`);
}

/** People and models may write a choice's label. */
function choiceIn(field: Field, value: unknown): unknown {
	const choices = choicesOf(field);
	if (choices.has(value)) return value;
	if (typeof value !== 'string' || field.noDataExpression) return undefined;
	if (choices.has(value.trim())) return value.trim();
	return [...choices].find(([, label]) => looseKey(label) === looseKey(value))?.[0];
}

function requireChoice<Choice extends string>(field: Field, value: unknown): Choice {
	const choice = choiceIn(field, value);
	if (choice === undefined) throw choiceError(field, value);
	return choice as Choice;
}

/** n8n always stores a value in a list that takes no expressions, so a blank one is invalid. */
export const readChoice = <Choice extends string>(field: Field, value: unknown): Choice =>
	value === undefined || (hasNoValue(value) && !field.noDataExpression)
		? (field.default as Choice)
		: requireChoice<Choice>(field, value);

/** The service may know further choices. */
export const readOpenChoice = (field: Field, value: unknown, stored?: unknown): string =>
	(choiceIn(field, value) as string | undefined) ?? readText(field, value, stored);

export function readChoices<Choice extends string>(field: Field, value: unknown): Choice[] {
	if (hasNoValue(value)) return field.default as Choice[];
	const given = typeof value === 'string' ? entriesIn(value) : value;
	if (!Array.isArray(given)) throw choiceError(field, value);
	return given.map((one: unknown) => requireChoice<Choice>(field, one));
}

/** Commas in quotes, or in a path's brackets, do not separate. Chinese keyboards write U+FF0C. */
const ENTRY = /\s*(?:"[^"]*"|'[^']*')\s*(?=[,，]|$)|(?:\[(?:"[^"]*"|'[^']*')\]|[^,，])+/g;

/** Reads JSON, or entries between brackets, commas or line ends, with or without quotes. */
function entriesIn(text: string): unknown[] {
	const list = text.startsWith('[') ? readJson(text).json : undefined;
	if (Array.isArray(list)) return plain(list, () => false) as unknown[];
	const isInBrackets = /^\[\s*["']/.test(text) && text.endsWith(']') && !text.includes('[', 1);
	const bare = isInBrackets ? text.slice(1, -1) : text;
	const entries = bare.includes('\n') ? bare.split('\n') : (bare.match(ENTRY) ?? []);
	return entries.map((entry) =>
		withoutQuotes(
			entry
				.trim()
				.replace(/[,，]$/, '')
				.trim(),
		),
	);
}

export function readEntries(field: Field, value: unknown, stored?: unknown): string[] {
	const entries = Array.isArray(value) ? (value as unknown[]) : entriesIn(readText(field, value, stored));
	const texts = entries.map((entry) => readText(field, typeof entry === 'boolean' ? String(entry) : entry));
	return [...new Map(texts.filter(Boolean).map((text) => [nameKey(text), text])).values()];
}

/** An expression may return an object. */
export function readJsonField(field: Field, value: unknown, stored: unknown, advice: string): Json {
	rejectUnevaluated(field, stored);
	const given = value ?? '';
	const text = typeof given === 'string' ? given : String(JSON.stringify(given));
	if (text.trim() === '') throw inputError(`${quotedLabel(field)} is empty`, advice);
	const { json, problem } = readJson(text);
	if (problem !== undefined) throw inputError(`${quotedLabel(field)} is not valid: ${problem}`, advice);
	return json;
}

/** JavaScript would change some numbers, so they are rejected. */
export function readJsonObject(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	const advice = 'Enter a JSON object, such as {"key": "value"}';
	const json = readJsonField(field, hasNoValue(value) ? '{}' : value, stored, advice);
	if (hasUnsafeNumber(json)) {
		throw inputError(
			`${quotedLabel(field)} contains a number that is too large`,
			'Write it as text, in double quotes, to keep its digits',
		);
	}
	if (!isJsonObject(json)) throw inputError(`${quotedLabel(field)} must be a JSON object`, advice);
	return plain(json) as Record<string, unknown>;
}
