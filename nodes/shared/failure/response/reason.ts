// Finds the words of a server in a response's body, bodies that n8n's client has left compressed, and errors in a success.

import { boundText, filledText } from '../../values/text';
import { isObject } from '../../values/nested';
import { parseJson } from '../../values/json';

export type Labels = Record<string, string>;

/** Deeper values would exhaust the stack. */
const MAX_NESTING = 5;

const MAX_ENTRIES = 100;

const oneLine = (text: string): string => boundText(text).replace(/\s+/g, ' ').trim();

/** Services, gateways and frameworks put their words into these (RFC 9457). */
const REASON_KEYS =
	'message msg title detail details description reason error errormessage errordescription errors issues violations'.split(
		' ',
	);

const isCode = ([name, value]: [string, unknown]): boolean =>
	/^(error|(error_?)?code)$/i.test(name) && typeof value === 'string' && value.trim() !== '';

/** Makes `'Depth': Field required` or `body.cookies.0.name: Field required` of a validation error (contract 2.10). */
function placed(location: unknown[], text: string, labels: Labels): string {
	const steps = location.filter((step) => typeof step !== 'object').map(String);
	const isField = steps.length === 1 || (steps.length === 2 && ['body', 'path', 'query'].includes(steps[0]!));
	const name = steps.at(-1)!;
	const place = isField && Object.hasOwn(labels, name) ? labels[name] : oneLine(steps.join('.'));
	return [place, text].filter(Boolean).join(': ');
}

/** A text that another one contains is said once. */
const joined = (texts: string[], separator: string): string =>
	texts.reduce((all, text) => (all.includes(text) ? all : all ? `${all}${separator}${text}` : text), '');

/** Words by their names, or, if no name is known, lists and objects with their names. */
function reasonWithin(value: unknown, labels: Labels, depth = 0): string {
	if (typeof value === 'string') return oneLine(value);
	if (typeof value !== 'object' || value === null || depth > MAX_NESTING) return '';
	const read = (inner: unknown) => reasonWithin(inner, labels, depth + 1);
	if (Array.isArray(value)) return joined(value.slice(0, MAX_ENTRIES).map(read), '; ');
	const entries = Object.entries(value).slice(0, MAX_ENTRIES);
	const rankOf = (name: string) => REASON_KEYS.indexOf(name.replace(/_/g, '').toLowerCase());
	const named = entries.filter((entry) => rankOf(entry[0]) >= 0 && !isCode(entry));
	const sentences = named.sort(([one], [other]) => rankOf(one) - rankOf(other)).map(([, inner]) => read(inner));
	const sentence = joined(sentences, ': ');
	const code = read(entries.find(isCode)?.[1]);
	const text = sentence && code && !sentence.includes(code) ? `${sentence} (${code})` : sentence || code;
	const { loc } = value as { loc?: unknown };
	if (text) return Array.isArray(loc) ? placed(loc, text, labels) : text;
	const others = entries
		.filter(([, inner]) => typeof inner === 'object')
		.map(([name, inner]): [string, string] => [name, read(inner)])
		.filter(([, reason]) => reason);
	return joined(
		others.map(([name, reason]) => placed([name], reason, labels)),
		'; ',
	);
}

/** A page's title is in its beginning. */
const PAGE_BEGINNING = 10_000;

function readPage(html: string): string {
	const [, title = ''] = /<(?:title|h1)[^<>]*>([^<]*)/i.exec(html.slice(0, PAGE_BEGINNING)) ?? [];
	return oneLine(title) ? `a web page titled "${oneLine(title)}"` : 'a web page';
}

/** Some services send events that were not asked for (codegraff#748). */
const withoutEventFields = (text: string): string =>
	/^(?:data|event|id|retry):|^:/.test(text)
		? text.replace(/^(?:event|id|retry|):.*$|^data: ?(?:\[DONE\])?/gm, '').trim()
		: text;

/** The server's words in a parsed or textual body, or its page's title. */
export function readReason(body: unknown, labels: Labels = {}): { reason?: string; page?: string } {
	if (typeof body !== 'string') return { reason: filledText(reasonWithin(body, labels)) };
	const text = withoutEventFields(boundText(body.trim()));
	if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(text)) return { page: readPage(text) };
	const parsed = parseJson(text);
	return { reason: filledText(typeof parsed === 'object' ? reasonWithin(parsed, labels) : oneLine(text)) };
}

export const isPage = (body: unknown): boolean => readReason(body).page !== undefined;

/** HTTP's registered compressing codings, with their older names. */
const COMPRESSION = /\b(?:br|compress|dcb|dcz|deflate|gzip|zstd)\b/i;

/** n8n's client removes the header when it decompresses, but only one coding (aws-sdk-java-v2#5769). */
export function compressionIn(headers: Record<string, unknown>): string | undefined {
	const codings = String(headers['content-encoding'] ?? '');
	return COMPRESSION.test(codings) ? codings.slice(0, 50) : undefined;
}

export const stillCompressed = (codings: string): string => `it is compressed as "${codings}"`;

/**
 * Explains why a body cannot be read. A proxy may drop the header, so the bytes count, too.
 *
 * @returns undefined if the body can be read
 */
export function unreadableBody(body: unknown, headers: Record<string, unknown>): string | undefined {
	if (typeof body !== 'string') return undefined;
	const codings = compressionIn(headers);
	if (codings) return stillCompressed(codings);
	// Compressed bytes have both. Latin-1 text has only the first, and a terminal's colors only the second.
	return body.includes('\uFFFD') && /[^\P{Cc}\s]/u.test(body) ? 'it is not text' : undefined;
}

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

/** An error may have these promised names, too. */
const ALSO_IN_ERRORS = ['message', 'mode', 'status'];

/**
 * True if a success's body, or a stream's payload, is an error.
 *
 * @param promised names of a result's fields: beside one with a value, an error field does not make the body an error
 */
export function hasError(body: unknown, promised: readonly string[] = []): boolean {
	if (!isObject(body)) return false;
	// A count of 0 is an error even beside promised fields.
	const isNothingDeleted = Object.entries(body).some(
		([name, value]) => DELETED.test(name) && (!isFilled(value) || isFalse(value)),
	);
	if (isFalse(body.success) || isNothingDeleted) return true;
	const isKept = promised.some(
		(name) => !ALSO_IN_ERRORS.includes(name) && (body[name] ?? '') !== '' && !isErrorField(name, body[name]),
	);
	return !isKept && Object.entries(body).some(([name, value]) => isErrorField(name, value));
}
