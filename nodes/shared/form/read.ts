import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { decimalOf, isAmbiguous } from '../decimal';
import { inputError } from '../failure';
import type { Labels } from '../reason';
import { isObject } from '../nested';
import { parseUrl } from '../url';
import { nameKey, quoted, shorten, snakeCase } from '../text';
import { hasUnsafeNumber, plain, readJson } from '../json';
import { fieldsOf, type Field } from './fields';

/** An expression (`stored`) may turn a value into anything. All readers throw FailureError that names the field. */
export type Read<T> = (field: Field, value: unknown, stored?: unknown) => T;

/** A choice that n8n adds to *Resource* and *Operation*, and that does nothing. */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

const UNEVALUATED = /\{\{\s*\$/;

/** Braces after a backslash are text. */
const EXPRESSION = /(?<!\\)\{\{[^]*?\}\}/g;

export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

/** An empty cell of a table is an empty text. */
export const hasNoValue = (value: unknown): boolean =>
	isMissing(value) || (typeof value === 'string' && value.trim() === '');

export const nameOf = ({ displayName, group }: Field): string => quoted(displayName, group);

export const fieldOf = <F extends INodeProperties>(form: F[], name: string): F =>
	form.find((field) => field.name === name)!;

/** By the names that the service may have for the fields. */
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

const QUOTED = /^(?:"([^"]*)"|'([^']*)'|`([^`]*)`)$/;

const withoutQuotes = (text: string): string => {
	const [, ...inside] = QUOTED.exec(text) ?? [];
	return inside.find((content) => content !== undefined) ?? text;
};

/** Fields whose quotes have a meaning. */
const FREE_TEXT = ['query', 'searchQuery'];

/** A model cannot leave out a parameter, and writes `null`, `None`, or quotes around a value. */
export function fromModel(field: Field & { name: string }, value: unknown, stored: unknown): unknown {
	if (typeof value !== 'string' || value === stored || choicesOf(field).has(value)) return value;
	const text = withoutQuotes(value.trim());
	if (/^(?:null|none|undefined)?$/i.test(text)) return '';
	return FREE_TEXT.includes(field.name) ? value : text;
}

/** In a field that was left in fixed mode. Only a text of several lines may contain such braces. */
export function rejectUnevaluated(field: Field, stored: unknown): void {
	if (typeof stored !== 'string' || stored.startsWith('=') || !UNEVALUATED.test(stored)) return;
	throw inputError(
		`${nameOf(field)} contains an expression that is not evaluated`,
		field.typeOptions?.rows
			? "Switch the field to 'Expression'. If the text must contain these braces, write {{ '{{' }} for each pair there"
			: "Switch the field to 'Expression'",
	);
}

/** Invalid dates of Luxon have no text, those of JavaScript throw. */
function withoutDate(field: Field, value: unknown): unknown {
	const { toISO, toISOString } = Object(value) as Record<string, unknown>;
	const write = toISO ?? toISOString;
	if (typeof write !== 'function') return value;
	const iso: unknown = toISO || !Number.isNaN(Number(value)) ? write.call(value) : null;
	if (typeof iso === 'string') return iso;
	throw inputError(`${nameOf(field)} is not a valid date`, 'Correct the expression in this field');
}

/** Numbers and dates become text. */
export function readText(field: Field, given: unknown, stored?: unknown): string {
	rejectUnevaluated(field, stored);
	const value = withoutDate(field, hasNoValue(given) ? (field.default ?? '') : given);
	if (typeof value !== 'string' && typeof value !== 'bigint' && !Number.isFinite(value)) {
		const example = `{{ $json.${field.displayName.toLowerCase().replace(/\W+/g, '_')} }}`;
		const advice = `Map a single text field, such as ${example}, not a whole item or list`;
		throw inputError(`${nameOf(field)} must be text`, advice);
	}
	return String(value).trim().toWellFormed();
}

const isObjectAsText = (value: unknown): boolean => typeof value === 'object' && /\[object \w+\]/.test(String(value));

/** What JavaScript writes for a value that is missing or no text. */
const LEFTOVER = /\[object \w+\]|(?<![\p{L}\p{N}])(?:undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/u;

const expressionsIn = (stored: unknown): string[] =>
	typeof stored === 'string' && stored.startsWith('=') ? (stored.match(EXPRESSION) ?? []) : [];

type ExpressionKind = 'filled' | 'empty' | 'leftover' | 'object';

function kindOf(value: unknown): ExpressionKind {
	if (isMissing(value)) return 'empty';
	if (isObjectAsText(value)) return 'object';
	return LEFTOVER.test(String(value)) ? 'leftover' : 'filled';
}

export function sortExpressions(stored: unknown, evaluate: (expression: string) => unknown) {
	const found: Record<ExpressionKind, string[]> = { filled: [], empty: [], leftover: [], object: [] };
	for (const expression of expressionsIn(stored)) {
		try {
			found[kindOf(evaluate(expression))].push(shorten(expression));
		} catch {
			// The field as a whole could be read.
		}
	}
	return found;
}

/** The code of an expression; that of an example, if the expression was shortened. */
const codeIn = (expression: string): string =>
	expression.endsWith('…') ? '$json.company' : expression.slice(2, -2).trim();

export function withFallback(expression: string): string {
	const code = codeIn(expression);
	return `{{ ${/^[\w$.[\]'" ]+$/.test(code) ? code : `(${code})`} ?? '' }}`;
}

/** Whether code can leave a word of its own in a text. Code that only reads a field, also of another node, cannot. */
const makesText = (code: string): boolean =>
	/[+`(]/.test(code.replace(/\$\((?:"[^"]*"|'[^']*')\)|\.(?:first|last)\(\)/g, ''));

/** An ID never has such a word; the data for any other text may. */
export function rejectLeftover(field: Field, text: unknown, stored: unknown, isId: boolean): void {
	if (typeof text !== 'string' || typeof stored !== 'string' || !stored.startsWith('=')) return;
	const isMade = isId || expressionsIn(stored).some(makesText);
	const [word] = LEFTOVER.exec(text) ?? (isId && text === 'null' ? [text] : []);
	if (!word || !isMade || stored.replace(EXPRESSION, '').includes(word)) return;
	throw inputError(`${nameOf(field)} contains "${word}" instead of a value`, 'Correct the expression in this field');
}

export function readRequiredText(field: Field, value: unknown, stored?: unknown): string {
	const text = readText(field, value, stored);
	if (text === '') throw inputError(`${nameOf(field)} is empty`, 'Enter a value, or correct the expression');
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
		`${nameOf(field)} must be a ${numberPrecision === 0 ? 'whole ' : ''}number${range}${why}`,
		field.default === ''
			? 'Correct this field, or remove it'
			: `Correct this field. Its default is ${String(field.default)}`,
	);
}

export const readOptionalNumber = (field: Field, value: unknown): number | undefined =>
	field.default === '' && hasNoValue(value) ? undefined : readNumber(field, value);

/** Expressions return text, and databases 1 and 0. */
export function readSwitch(field: Field, value: unknown): boolean {
	if (hasNoValue(value)) return field.default as boolean;
	const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
	if (['true', '1'].includes(word)) return true;
	if (['false', '0'].includes(word)) return false;
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

const looseKey = (text: string): string => nameKey(text).toLowerCase();

/** A person or a model may write its label. */
function choiceIn(field: Field, value: unknown): unknown {
	const choices = choicesOf(field);
	if (choices.has(value)) return value;
	if (typeof value !== 'string' || field.noDataExpression) return undefined;
	if (choices.has(value.trim())) return value.trim();
	return [...choices].find(([, label]) => looseKey(label) === looseKey(value))?.[0];
}

/** A list that takes no expression has exactly the values that n8n stores. */
export function readChoice<Choice extends string>(field: Field, value: unknown): Choice {
	if (value === undefined || (hasNoValue(value) && !field.noDataExpression)) return field.default as Choice;
	const choice = choiceIn(field, value);
	if (choice === undefined) throw choiceError(field, value);
	return choice as Choice;
}

/** The service may know further choices. */
export const readOpenChoice = (field: Field, value: unknown, stored?: unknown): string =>
	(choiceIn(field, value) as string | undefined) ?? readText(field, value, stored);

export function readChoices<Choice extends string>(field: Field, value: unknown): Choice[] {
	if (hasNoValue(value)) return field.default as Choice[];
	const given = typeof value === 'string' ? entriesIn(value) : value;
	if (!Array.isArray(given)) throw choiceError(field, value);
	return given.map((one: unknown) => {
		const choice = choiceIn(field, one);
		if (choice === undefined) throw choiceError(field, one);
		return choice as Choice;
	});
}

/** Commas in quotes, and in the brackets of a path, separate nothing. Chinese keyboards write U+FF0C. */
const ENTRY = /\s*(?:"[^"]*"|'[^']*')\s*(?=[,，]|$)|(?:\[(?:"[^"]*"|'[^']*')\]|[^,，])+/g;

/** JSON, or entries between brackets, commas or line ends, with or without quotes. */
function entriesIn(text: string): unknown[] {
	const list = text.startsWith('[') ? plain(readJson(text).json ?? null, () => false) : undefined;
	if (Array.isArray(list)) return list;
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

/** Each entry once. */
export function readEntries(field: Field, value: unknown, stored?: unknown): string[] {
	const entries = Array.isArray(value) ? (value as unknown[]) : entriesIn(readText(field, value, stored));
	const texts = entries.map((entry) => readText(field, typeof entry === 'boolean' ? String(entry) : entry));
	return [...new Map(texts.filter(Boolean).map((text) => [nameKey(text), text])).values()];
}

/** A number that JavaScript would change is rejected. */
export function readJsonObject(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	rejectUnevaluated(field, stored);
	if (hasNoValue(value)) return {};
	const label = nameOf(field);
	const advice = 'Enter a JSON object, such as {"key": "value"}';
	const { json, problem } = typeof value === 'string' ? readJson(value) : {};
	if (problem !== undefined) throw inputError(`${label} is not valid: ${problem}`, advice);
	if (json !== undefined && hasUnsafeNumber(json)) {
		throw inputError(
			`${label} contains a number that is too large`,
			'Write it as text, in double quotes, to keep its digits',
		);
	}
	const object = json === undefined ? value : plain(json);
	if (!isObject(object)) throw inputError(`${label} must be a JSON object`, advice);
	const wellFormed = (_name: string, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner);
	return JSON.parse(JSON.stringify(object), wellFormed) as Record<string, unknown>;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** The one that is named as a thread's, or else the last, except that of a run. */
function threadInLink(link: string): string | undefined {
	const named = link.match(/thread\w{0,9}[/=][0-9a-f-]{36}/gi)?.at(-1);
	return (named ?? link.replace(/[?&#]run\w*=[^&#]*/gi, '')).match(UUID)?.at(-1);
}

/** From a UUID, or the link of a thread; empty for no value. */
export function readThreadId(field: Field, value: unknown, stored?: unknown): string {
	const text = readText(field, value, stored);
	if (text === '') return '';
	const isLink = /^https?:\/\//i.test(text) && parseUrl(text) !== undefined;
	const ids = text.match(UUID) ?? [];
	const [id, ...others] = isLink ? [threadInLink(text)] : ids;
	if (id !== undefined && (isLink || id === text)) return id;
	throw inputError(
		`${nameOf(field)} ${others.some((other) => other !== id) ? 'contains more than one ID' : 'is not valid'}`,
		'Map thread_id from an earlier run, paste the thread link, or leave it empty',
	);
}

/** With the expressions without a value. An incomplete task would be billed. */
export function readTask(field: Field, value: unknown, stored: unknown, evaluate: (expression: string) => unknown) {
	const query = readRequiredText(field, value, stored);
	const { filled, empty, leftover, object } = sortExpressions(stored, evaluate);
	if (object[0] !== undefined) {
		throw inputError(
			`${object[0]} in ${nameOf(field)} must be text`,
			`Map a single field of it, or write {{ JSON.stringify(${codeIn(object[0])}) }}`,
		);
	}
	const [first] = empty;
	if (first === undefined || filled.length + leftover.length > 0) return { query, missing: [...empty, ...leftover] };
	throw inputError(
		`${first} in ${nameOf(field)} has no value`,
		`Correct the expression. If the value may be missing, write ${withFallback(first)}`,
	);
}

const SET_IN_FORM = {
	detach: 'The operation decides whether a run continues in the background. Remove this field',
	thread_id: "Enter it in 'Thread ID' instead",
};

export function readBodyFields(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	const given = readJsonObject(field, value, stored);
	for (const [name, advice] of Object.entries(SET_IN_FORM)) {
		if (name in given) throw inputError(`${nameOf(field)} must not contain "${name}"`, advice);
	}
	return given;
}
