// Finds the reason in a response's body, in the shapes of services, gateways and frameworks.

import { filledText, words } from '../../values/text';
import { isObject } from '../../values/nested';
import { parseJson } from '../../values/json';

export type Labels = Record<string, string>;

/** Limits for a body: depth, values, and each list's entries. */
const MAX_NESTING = 5;
const MAX_VALUES = 10_000;
const MAX_ENTRIES = 100;

const MAX_BODY_CHARACTERS = 65_536;

const oneLine = (text: string): string => words(text).replace(/\s+/g, ' ').trim();

/** Makes sentences such as `'Depth': Field required` or `body.cookies.0.name: Field required`. */
function placed(location: unknown[], text: string, labels: Labels): string {
	const steps = location.filter((step) => typeof step !== 'object').map(String);
	const isField = steps.length === 1 || (steps.length === 2 && ['body', 'path', 'query'].includes(steps[0]!));
	const name = steps.at(-1)!;
	const place = isField && Object.hasOwn(labels, name) ? labels[name] : oneLine(steps.join('.'));
	return [place, text].filter(Boolean).join(': ');
}

/** `ctx` is part of a validation error (contract 2.10). */
const SENTENCES =
	/^(message|msg|title|details?|(error|fault)?(message|msg|text|string|description|detail|reason)s?|ctx|issues|violations|(field|form|nonfield)?errors)$/;

const CODES = ['error', 'code', 'errorcode'];

/** The keys of an object with such a name are the request's fields, unless they are known names. */
const ERRORS = /(error|detail|issue|violation)s?$/;

/** These repeat the request, and may hold anything that a person typed. */
const REPEATED = /^(input|loc|location|path|params|parameters|payload|body|query|value|received|request|headers)$/;

function locationOf({ loc, path, field }: Record<string, unknown>): unknown[] {
	const list = [loc, path].find(Array.isArray) as unknown[] | undefined;
	return list ?? (typeof field === 'string' ? [field] : []);
}

const isTexts = (value: unknown): boolean =>
	Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string');

class ReasonReader {
	private values = 0;
	private characters = 0;

	constructor(private readonly labels: Labels) {}

	read(value: unknown, name = '', depth = 0): string | undefined {
		if (++this.values > MAX_VALUES) return undefined;
		if (typeof value === 'string') return this.readText(value);
		if (depth >= MAX_NESTING) return undefined;
		if (!Array.isArray(value)) return isObject(value) ? this.readObject(value, name, depth + 1) : undefined;
		const entries = value.slice(0, MAX_ENTRIES).map((entry) => {
			return this.read(entry, name && 'entry', Array.isArray(entry) ? depth + 1 : depth);
		});
		return filledText(entries.filter((text) => text !== undefined).join('; '));
	}

	/** Nothing follows a truncated text: masks find a cut secret only at a reason's end. */
	private readText(value: string): string | undefined {
		const left = MAX_BODY_CHARACTERS - this.characters;
		this.characters += value.length;
		return left > 0 ? filledText(oneLine(words(value, left))) : undefined;
	}

	private readObject(body: Record<string, unknown>, name: string, depth: number): string | undefined {
		const fields = Object.entries(body)
			.slice(0, MAX_VALUES)
			.map(([key, value]) => [key.replace(/\W|_/g, '').toLowerCase(), value] as const);
		const codes = CODES.map((code) => fields.find(([key]) => key === code)?.[1]);
		const named = fields
			.filter(([key, value]) => SENTENCES.test(key) || (key === 'error' && typeof value === 'object'))
			.sort(([one], [other]) => rank(one) - rank(other));
		const sentence = this.join(named, depth);
		const code = codes.map((value) => (typeof value === 'string' ? this.read(value) : undefined)).find(Boolean);
		const location = locationOf(body);
		if (sentence)
			return placed(location, code && !sentence.includes(code) ? `${sentence} (${code})` : sentence, this.labels);
		const messages = code === undefined ? this.readFields(body, name, depth) : undefined;
		if (messages) return messages;
		const inner = this.join(
			fields.filter(([key, value]) => typeof value === 'object' && !REPEATED.test(key)),
			depth,
		);
		return inner ?? code ?? (name === 'entry' ? this.read(body.type) : undefined);
	}

	private join(fields: Array<readonly [string, unknown]>, depth: number): string | undefined {
		let joined: string | undefined;
		for (const [key, value] of fields.slice(0, MAX_ENTRIES)) {
			const text = this.read(value, key, depth);
			if (text !== undefined && !joined?.includes(text)) joined = joined ? `${joined}: ${text}` : text;
		}
		return joined;
	}

	private readFields(body: Record<string, unknown>, name: string, depth: number): string | undefined {
		const fields = Object.entries(body).slice(0, MAX_ENTRIES);
		if (!ERRORS.test(name) && !fields.every(([, value]) => isTexts(value))) return undefined;
		const texts = fields.map(([key, value]) => {
			const text = this.read(value, 'errors', depth);
			return text && placed([key], text, this.labels);
		});
		return filledText(texts.filter(Boolean).join('; '));
	}
}

const ORDER = ['message', 'msg', 'title', 'detail'];
const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** One pattern for the whole element takes time quadratic in the page's size. */
function readElement(html: string, start: RegExp): string | undefined {
	const at = html.search(start);
	const open = at < 0 ? -1 : html.indexOf('>', at);
	const end = open < 0 ? -1 : html.indexOf('</', open);
	return end < 0 ? undefined : html.slice(open + 1, end);
}

function readPage(html: string): string | undefined {
	const title = readElement(html, /<title[\s>]/i) ?? readElement(html, /<h1[\s>]/i);
	const text = title && oneLine(title);
	return text ? `a web page titled "${text}"` : 'a web page';
}

/** Some services send events that were not asked for (codegraff#748). The last one with words counts. */
function eventData(text: string): string | undefined {
	const lines = text.split(/\r\n?|\n/);
	if (!lines.every((line) => /^(?:(?:data|event|id|retry):|:|$)/.test(line))) return undefined;
	const data = lines
		.filter((line) => line.startsWith('data:'))
		.map((line) => line.slice('data:'.length).trim())
		.filter((payload) => payload !== '[DONE]');
	const whole = data.join('\n');
	const hasWords = (payload: string) => new ReasonReader({}).read(parseJson(payload)) !== undefined;
	return data.length > 0 ? ([whole, ...data].findLast(hasWords) ?? whole) : undefined;
}

/** The server's words in a parsed or textual body (contract 7; RFC 9457), or its page's title. */
export function readReason(body: unknown, labels: Labels = {}): { reason?: string; page?: string } {
	if (typeof body !== 'string') return { reason: new ReasonReader(labels).read(body) };
	// Data that look like events again are words: reading them would take a stack as deep as the text.
	const text = (eventData(words(body.trim())) ?? body).trim();
	if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(text)) return { page: readPage(text) };
	const parsed = parseJson(text);
	return {
		reason: parsed === undefined || typeof parsed === 'number' ? oneLine(text) : new ReasonReader(labels).read(parsed),
	};
}

export const isPage = (body: unknown): boolean => readReason(body).page !== undefined;

const isFilled = (value: unknown): boolean =>
	typeof value === 'object'
		? Object.keys(value ?? {}).length > 0
		: Boolean(typeof value === 'string' ? value.trim() : value);

const isFalse = (value: unknown): boolean => /^(false|0)$/i.test(String(value));

/** The last entry includes HTTP statuses. */
const ERROR_FIELDS: Array<[name: RegExp, isError: (value: unknown) => boolean]> = [
	[/^(errors?|error_?messages?|error_?description|detail)$/i, isFilled],
	[/^ok$/, isFalse],
	[/^(object|result|type)$/, (value) => value === 'error'],
	[/^(status(_?code)?|code)$/i, (value) => /^(error|fail(ed|ure)?|[45]\d\d)$/i.test(String(value))],
];

const isErrorField = (name: string, value: unknown): boolean =>
	ERROR_FIELDS.some(([pattern, isError]) => pattern.test(name) && isError(value));

/** A deletion reports a value or a count. */
const DELETED = /^deleted(_?count)?$/i;

const hasValue = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** An error may have these promised names, too. */
const ALSO_IN_ERRORS = ['message', 'mode', 'status'];

/**
 * True if a success's body, or a stream's payload, is an error.
 *
 * @param promised names of which the operation's body has at least one with a value
 */
export function isSenderError(body: unknown, promised: readonly string[] = []): boolean {
	if (!isObject(body)) return false;
	// A count of 0 is an error even beside promised fields.
	const isNothingDeleted = Object.entries(body).some(
		([name, value]) => DELETED.test(name) && (!isFilled(value) || isFalse(value)),
	);
	if (isFalse(body.success) || isNothingDeleted) return true;
	const isKept = promised.some(
		(name) => !ALSO_IN_ERRORS.includes(name) && hasValue(body[name]) && !isErrorField(name, body[name]),
	);
	return !isKept && Object.entries(body).some(([name, value]) => isErrorField(name, value));
}
