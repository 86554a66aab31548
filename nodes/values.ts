/** Whether a value is a JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a field of an item by its name, or by a path of names such as `company.name`; undefined if it has no such field. */
export function valueAt(json: Record<string, unknown>, path: string): unknown {
	if (Object.hasOwn(json, path)) return json[path];
	return path
		.split('.')
		.reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), json);
}

/**
 * Parses a URL, absolute or relative to a base; undefined if a text is not a URL. Not with `URL.canParse`: in Node.js 20 and 22,
 * it rejects hosts such as `müller.example` after some thousand calls.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** A name such as `threadId` as `thread_id`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A copy of a text: a slice would keep the complete text that it was cut from in memory. */
export const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** A text of at most `limit` characters, followed by "…" if more was cut off; never with half a character before it. */
export function shorten(text: string, limit = 100): string {
	if (text.length <= limit) return text;
	const kept = text.slice(0, limit);
	return copyText(`${/[\ud800-\udbff]$/.test(kept.slice(-1)) ? kept.slice(0, -1) : kept}…`);
}

/** Shortens a text from a stranger, which may be changed first. */
export type Excerpt = typeof shorten;

/** A text in one line, without characters that cannot be seen or that change the direction of the text after them. */
export const visible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** Characters that can end a block of code, change the direction of text, or hide in it. */
const HIDING = /[`\p{Cf}\p{Default_Ignorable_Code_Point}\u007f-\u009f\u2028\u2029\u2800]/gu;

/** JSON text with an escape such as `\u200b` for each character that can hide. Its value stays the same. */
export const escapeHidden = (json: string): string =>
	json.replace(HIDING, (character) =>
		character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
	);

/** A number of things, such as "2 seconds". */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** The first texts of a list, and how many more there are. */
export const shortenList = (texts: string[], limit: number): string[] =>
	texts.length > limit ? [...texts.slice(0, limit), `and ${texts.length - limit} more`] : texts;

/** A value if it is a text that is not empty. */
export const filledText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

/** Maximum nesting of values. Code that walks through much deeper values, including n8n's, exhausts the stack. */
export const MAX_DEPTH = 200;

/** Whether a value has more than the given number of levels of lists and objects. */
export function isDeeper(value: unknown, depth: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** A value with every text in it, keys included, changed by a function. Values that are nested too deeply are left out. */
export function changeTexts<T>(value: T, change: (text: string) => string, depth = 0): T {
	if (typeof value === 'string') return change(value) as T;
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= MAX_DEPTH) return '[nested too deeply]' as T;
	if (Array.isArray(value)) return value.map((element: unknown) => changeTexts(element, change, depth + 1)) as T;
	const entries = Object.entries(value).map(([key, inner]) => [change(key), changeTexts(inner, change, depth + 1)]);
	return Object.fromEntries(entries) as T;
}

/** Parses a JSON text that a stranger wrote: without any key `__proto__`, and undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
	try {
		// An own `__proto__` would become a prototype as soon as anything copies the object by assignment.
		const mayHoldPrototype = text.includes('__proto__') || text.includes('\\u00');
		return mayHoldPrototype
			? JSON.parse(text, (key, inner: unknown) => (key === '__proto__' ? undefined : inner))
			: JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The name of a field, an option or a choice in a sentence, with the label of the option group that contains it, if any. */
export const quoted = (label: string, group?: string): string => (group ? `'${label}' under '${group}'` : `'${label}'`);
