import { filledText } from './text';
import { isObject } from './nested';
import { parseJson } from './json';

/** The quoted labels of a form's fields, by the service's name for them. */
export type Labels = Record<string, string>;

/** Levels of nested objects that are searched for a reason. */
const MAX_NESTING = 5;

/** Not truncated: a secret in it could no longer be found. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The beginnings of validation messages, and the text that follows the form's label instead. */
const PLAIN: Array<[RegExp, string]> = [
	[/^Field required$/, 'is missing'],
	[/^Input should be a valid string\b.*/, 'must be text'],
	[/^Input should be a valid boolean\b.*/, 'must be true or false'],
	[/^Input should be a valid (?:number|integer)\b.*/, 'must be a number'],
	[/^Input should be a valid list\b.*/, 'must be a list'],
	[/^Input should be (?=')/, 'must be '],
];

/** A validation error in the words of the form, such as "'Depth' must be text"; undefined if it is not about one field of it. */
function labelled(location: unknown[], message: string, labels: Labels): string | undefined {
	const [place, name] = location;
	if (location.length !== 2 || !['body', 'path', 'query'].includes(String(place))) return undefined;
	if (!Object.hasOwn(labels, String(name))) return undefined;
	const label = labels[String(name)];
	const plain = PLAIN.find(([pattern]) => pattern.test(message));
	return plain ? `${label} ${message.replace(...plain)}` : `${label}: ${message}`;
}

/** A validation error as `'Depth' must be text` or `body.cookies.0.name: Field required`, without its fields that repeat what was sent. */
function readValidationError(entry: unknown, labels: Labels): string | undefined {
	if (typeof entry === 'string') return oneLine(entry);
	if (!isObject(entry)) return undefined;
	const location = Array.isArray(entry.loc) ? entry.loc.filter((step) => typeof step !== 'object') : [];
	const path = location.join('.');
	const text = filledText(entry.msg) ?? filledText(entry.type);
	if (text === undefined) return undefined;
	const message = oneLine(text);
	return labelled(location, message, labels) ?? (path ? `${oneLine(path)}: ${message}` : message);
}

/** The reason in one field of a body: a text, a list of validation errors, or an object that holds one. */
function readField(value: unknown, labels: Labels, depth = 0): string | undefined {
	if (typeof value === 'string') return value.trim() === '' ? undefined : oneLine(value);
	if (Array.isArray(value)) {
		const entries = value.map((entry) => readValidationError(entry, labels)).filter((text) => text !== undefined);
		return entries.length ? entries.join('; ') : undefined;
	}
	if (isObject(value) && depth < MAX_NESTING) return readObject(value, labels, depth + 1);
	return undefined;
}

/** `message`, `detail` and `error_description` are sentences, `error` and `code` often only a name: one of these is added. */
function readObject(body: Record<string, unknown>, labels: Labels, depth: number): string | undefined {
	const read = (values: unknown[]) =>
		values.map((value) => readField(value, labels, depth)).filter((text) => text !== undefined);
	const sentences = read([body.message, body.detail, body.error_description]);
	const names = read([body.error, body.code]);
	const sentence = [...new Set(sentences)].join(': ');
	if (!sentence) return names[0];
	const name = names[0];
	return name === undefined || sentence.includes(name) ? sentence : `${sentence} (${name})`;
}

/** The text of the first element of a page. A pattern for all of it takes time that grows with the square of the page. */
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

/**
 * Finds the server's own reason in the body of a response: `{detail}` as a text or as a list of validation errors, `{message,
 * detail}`, `{error, message?}`, `{error: {code, message}}`, `{error, error_description}` (RFC 6749, section 5.2), a web page
 * of a proxy, plain text, or nothing.
 *
 * @param body as parsed by n8n, or as text
 * @returns `reason` in the server's words, or `page` if the body is a web page, or neither
 */
export function readReason(body: unknown, labels: Labels = {}): { reason?: string; page?: string } {
	if (typeof body !== 'string') return { reason: readField(body, labels) };
	const text = body.trim();
	if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(text)) return { page: readPage(text) };
	const parsed = parseJson(text);
	return { reason: parsed === undefined || typeof parsed === 'number' ? oneLine(text) : readField(parsed, labels) };
}

/** Whether a value says something: no empty text, list or object, no zero, and neither false nor null. */
const isFilled = (value: unknown): boolean =>
	typeof value === 'object'
		? Object.keys(value ?? {}).length > 0
		: Boolean(typeof value === 'string' ? value.trim() : value);

/** The fields by which a sender says that nothing was done, or why, and what says so; a status may be that of HTTP. */
const ERROR_FIELDS: Array<[name: RegExp, isError: (value: unknown) => boolean]> = [
	[/^(errors?|error_?messages?|error_?description|detail)$/i, isFilled],
	[/^ok$/, (value) => value === false],
	[/^object$/, (value) => value === 'error'],
	[/^status(_?code)?$/i, (value) => /^(error|failed|failure|[45]\d\d)$/i.test(String(value))],
];

const isErrorField = (name: string, value: unknown): boolean =>
	ERROR_FIELDS.some(([pattern, isError]) => pattern.test(name) && isError(value));

const hasValue = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * Whether the body of a success, or a payload of a stream, is an error of its sender: a gateway, or the service itself.
 *
 * @param promised names of which a body of the operation has at least one with a value
 */
export function isSenderError(body: unknown, promised: readonly string[] = []): boolean {
	if (!isObject(body)) return false;
	// These count beside promised fields, too, such as a count of 0 cookies.
	if (body.success === false || ('deleted' in body && !isFilled(body.deleted))) return true;
	const isKept = promised.some((name) => hasValue(body[name]) && !isErrorField(name, body[name]));
	return !isKept && Object.entries(body).some(([name, value]) => isErrorField(name, value));
}
