import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { inputError } from '../failure';
import type { Labels } from '../reason';
import { isObject } from '../nested';
import { parseUrl } from '../url';
import { quoted, shorten, snakeCase } from '../text';
import { hasUnsafeNumber, plain, readJson } from '../json';
import { fieldsOf, type Field } from './fields';

// Each function that reads a value throws FailureError with the name of the field if the value cannot be used. `stored` is the value
// in the workflow, given if the field may contain an unevaluated expression.

/** A choice that n8n adds to the lists *Resource* and *Operation* at run time. It does nothing in a node. */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

const UNEVALUATED = /\{\{\s*\$/;

/** Matches the parts of a text that n8n evaluates. Braces after a backslash are text. */
const EXPRESSION = /(?<!\\)\{\{[^]*?\}\}/g;

export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

/** The name of a field in a sentence. */
export const nameOf = ({ displayName, group }: Field): string => quoted(displayName, group);

/** The field of a name, which must be in the form, or among the options of a collection. */
export const fieldOf = <F extends INodeProperties>(form: F[], name: string): F =>
	form.find((field) => field.name === name)!;

/** The names of the fields of a form, and of the options in its collections. The service may know a field by its name. */
export const labelsOf = (form: Array<INodeProperties & Field>): Labels =>
	Object.fromEntries(
		form.flatMap((field) => {
			const { name, type, options, routing } = field;
			if (type === 'collection') return Object.entries(labelsOf((options as INodeProperties[]).flatMap(fieldsOf)));
			const property = routing?.send?.property?.replace(/[{}]/g, '');
			return [...new Set(property ? [property] : [name, snakeCase(name)])].map((key) => [key, nameOf(field)]);
		}),
	);

const choicesOf = ({ options = [] }: Field): Map<unknown, string> =>
	new Map(
		(options as INodePropertyOptions[])
			.filter(({ value }) => value !== CUSTOM_API_CALL)
			.map(({ name, value }) => [value, name]),
	);

/**
 * Rejects a text with an expression that n8n does not evaluate, because the field was left in fixed mode. Only a text of several
 * lines may contain braces that are not an expression.
 */
export function rejectUnevaluated(field: Field, stored: unknown): void {
	if (typeof stored !== 'string' || stored.startsWith('=') || !UNEVALUATED.test(stored)) return;
	throw inputError(
		`${nameOf(field)} contains an expression that is not evaluated`,
		field.typeOptions?.rows
			? "Switch the field to 'Expression'. If the text must contain these braces, write {{ '{{' }} for each pair there"
			: "Switch the field to 'Expression'",
	);
}

/**
 * Reads the value of a text field, which an expression may turn into anything.
 *
 * @returns the text, trimmed; numbers as text; empty for no value
 */
export function readText(field: Field, value: unknown, stored?: unknown): string {
	rejectUnevaluated(field, stored);
	if (isMissing(value)) return '';
	if (typeof value !== 'string' && typeof value !== 'bigint' && !Number.isFinite(value)) {
		const example = `{{ $json.${field.displayName.toLowerCase().replace(/\W+/g, '_')} }}`;
		const advice = `Map a single text field, such as ${example}, not a whole item or list`;
		throw inputError(`${nameOf(field)} must be text`, advice);
	}
	return String(value).trim();
}

const isObjectAsText = (value: unknown): boolean => typeof value === 'object' && /\[object \w+\]/.test(String(value));

/**
 * The expressions in a stored text that have a value, those that are null or undefined, which leave a gap in the text, and those
 * whose value would be "[object Object]" there. An expression that fails on its own is none of these.
 */
export function sortExpressions(stored: unknown, evaluate: (expression: string) => unknown) {
	const found: Record<'filled' | 'empty' | 'objects', string[]> = { filled: [], empty: [], objects: [] };
	const isExpression = typeof stored === 'string' && stored.startsWith('=');
	for (const [expression] of isExpression ? stored.matchAll(EXPRESSION) : []) {
		try {
			const value = evaluate(expression);
			found[isMissing(value) ? 'empty' : isObjectAsText(value) ? 'objects' : 'filled'].push(shorten(expression));
		} catch {
			// The field as a whole could be read.
		}
	}
	return found;
}

/** The code of an expression, or of an example if it was shortened. */
const codeIn = (expression: string): string =>
	expression.endsWith('…') ? '$json.company' : expression.slice(2, -2).trim();

/** How to write an expression whose value may be missing. */
export function withFallback(expression: string): string {
	const code = codeIn(expression);
	return `{{ ${/^[\w$.[\]'" ]+$/.test(code) ? code : `(${code})`} ?? '' }}`;
}

/** Reads a text field that must not be empty; see {@link readText}. */
export function readRequiredText(field: Field, value: unknown, stored?: unknown): string {
	const text = readText(field, value, stored);
	if (text === '') throw inputError(`${nameOf(field)} is empty`, 'Enter a value, or correct the expression');
	return text;
}

/**
 * Reads the value of a number field; its default if there is none. Text that contains a number is accepted; JavaScript would also
 * convert `true`, `[5]`, and an empty text to numbers.
 */
export function readNumber(field: Field, value: unknown): number {
	if (value === undefined && typeof field.default === 'number') return field.default;
	const { minValue, numberPrecision } = field.typeOptions ?? {};
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : Number.NaN;
	const isKind = numberPrecision === 0 ? Number.isInteger(number) : Number.isFinite(number);
	if (isKind && number >= (minValue ?? -Infinity)) return number;
	const range = minValue === undefined ? '' : ` of at least ${minValue}`;
	throw inputError(
		`${nameOf(field)} must be a ${numberPrecision === 0 ? 'whole ' : ''}number${range}`,
		field.default === ''
			? 'Correct this field, or remove it'
			: `Correct this field. Its default is ${String(field.default)}`,
	);
}

/** Reads a number field that may have neither a value nor a default; see {@link readNumber}. */
export const readOptionalNumber = (field: Field, value: unknown): number | undefined =>
	field.default === '' && (isMissing(value) || value === '') ? undefined : readNumber(field, value);

/** Reads the value of a switch; its default if there is none. Also as text, because that is what many expressions return. */
export function readSwitch(field: Field, value: unknown): boolean {
	if (isMissing(value) || value === '') return field.default as boolean;
	const word = String(value).trim().toLowerCase();
	if (word === 'true' || word === 'false') return word === 'true';
	throw inputError(`${nameOf(field)} must be true or false`, 'Correct the expression in this field');
}

function choiceError(field: Field, value: unknown): Error {
	if (value === CUSTOM_API_CALL) {
		return inputError(
			"'Custom API Call' is not supported in this node",
			"Use an HTTP Request node, with 'Predefined Credential Type' and this credential",
		);
	}
	const choices = [...choicesOf(field)].map(([known, name]) => `${quoted(name)} (${String(known)})`);
	return inputError(`${nameOf(field)} is not one of its choices`, `Choose one of ${choices.join(', ')}`);
}

/** Reads the value of a list that controls the node, so that only its choices are valid; its default if there is none. */
export function readChoice<Choice extends string>(field: Field, value: unknown): Choice {
	if (value === undefined) return field.default as Choice;
	if (choicesOf(field).has(value)) return value as Choice;
	throw choiceError(field, value);
}

/** Reads the value of a list with multiple selection; see {@link readChoice}. */
export function readChoices<Choice extends string>(field: Field, value: unknown): Choice[] {
	if (value === undefined) return field.default as Choice[];
	const chosen = typeof value === 'string' ? (value.match(/[^\s,]+/g) ?? []) : value;
	const unknown = Array.isArray(chosen) ? chosen.find((one) => !choicesOf(field).has(one)) : String(value);
	if (unknown !== undefined) throw choiceError(field, unknown);
	return chosen as Choice[];
}

/**
 * Reads a JSON object, also as text. No value is an empty object. A text whose numbers JavaScript would change is rejected:
 * the service would receive a different value than the form.
 */
export function readJsonObject(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	rejectUnevaluated(field, stored);
	if (isMissing(value) || (typeof value === 'string' && value.trim() === '')) return {};
	const label = nameOf(field);
	const { json } = typeof value === 'string' ? readJson(value) : {};
	if (json !== undefined && hasUnsafeNumber(json)) {
		throw inputError(
			`${label} contains a number that is too large`,
			'Write it as text, in double quotes, to keep its digits',
		);
	}
	const object = json === undefined ? value : plain(json);
	if (isObject(object)) return object;
	throw inputError(`${label} must be a JSON object`, 'Enter a JSON object, such as {"key": "value"}');
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Reads the ID of a thread, a UUID; empty for no value. The link of a thread is accepted, too: errors and hints contain it. */
export function readThreadId(field: Field, value: unknown, stored?: unknown): string {
	const text = readText(field, value, stored);
	if (text === '') return '';
	const link = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
	const ids = (link?.pathname ?? text).match(UUID) ?? [];
	const different = new Set(ids.map((id) => id.toLowerCase())).size;
	if (different === 1 && (link || text.replace(UUID, '') === '')) return ids[0]!;
	throw inputError(
		`${nameOf(field)} ${different > 1 ? 'contains more than one ID' : 'is not valid'}`,
		'Map thread_id from an earlier run, paste the thread link, or leave it empty',
	);
}

/**
 * Reads *Task*: its text, and the expressions in it without a value.
 *
 * @param evaluate evaluates a single expression
 * @throws FailureError if it is empty, if no expression in it has a value, or if one is an object: an incomplete task would be billed
 */
export function readTask(field: Field, value: unknown, stored: unknown, evaluate: (expression: string) => unknown) {
	const query = readRequiredText(field, value, stored);
	const { filled, empty, objects } = sortExpressions(stored, evaluate);
	const [first] = empty;
	const [object] = objects;
	if (object !== undefined) {
		throw inputError(
			`${object} in ${nameOf(field)} must be text`,
			`Map a single field of it, or write {{ JSON.stringify(${codeIn(object)}) }}`,
		);
	}
	if (first === undefined || filled.length > 0) return { query, empty };
	throw inputError(
		`${first} in ${nameOf(field)} has no value`,
		`Correct the expression. If the value may be missing, write ${withFallback(first)}`,
	);
}

/** Body fields of a start that only the form may set, and what to do instead. */
const SET_IN_FORM = {
	detach: 'The operation decides whether a run continues in the background. Remove this field',
	thread_id: "Enter it in 'Thread ID' instead",
};

/**
 * Reads *Additional Body Fields* of a start: fields of the service that the form does not have. Fields of the form take
 * precedence.
 *
 * @throws FailureError if it is not a JSON object, or contains a field that only the form may set
 */
export function readBodyFields(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	const given = readJsonObject(field, value, stored);
	for (const [name, advice] of Object.entries(SET_IN_FORM)) {
		if (name in given) throw inputError(`${nameOf(field)} must not contain "${name}"`, advice);
	}
	return given;
}
