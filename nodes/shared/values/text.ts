// Shortens, quotes, counts and compares texts, and finds values that have none.

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A slice would keep the complete text in memory. */
export const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** No character is cut in half. "…" comes on top of the limit. */
export function shorten(text: string, limit = 100): string {
	if (text.length <= limit) return text;
	const kept = text.slice(0, limit);
	return copyText(`${/[\ud800-\udbff]$/.test(kept.slice(-1)) ? kept.slice(0, -1) : kept}…`);
}

/** Masking megabytes takes seconds, and no person reads more. */
const MAX_UNMASKED_CHARACTERS = 65_536;

/** Bounds a server's text that is not masked yet. Blanks and secrets are removed later, so the limit is far above a message's. */
export const boundText = (text: string): string => shorten(text, MAX_UNMASKED_CHARACTERS);

export const visible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const HIDING = /[`\p{Cf}\p{Default_Ignorable_Code_Point}\u007f-\u009f\u2028\u2029\u2800]/gu;

/** Escapes each character that can hide. The value of the JSON stays the same. */
export const escapeHidden = (json: string): string =>
	json.replace(HIDING, (character) =>
		character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
	);

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const shortenList = (texts: string[], limit: number): string[] =>
	texts.length > limit ? [...texts.slice(0, limit), `and ${texts.length - limit} more`] : texts;

export const filledText = (value: unknown): string | undefined =>
	typeof value === 'string' && value.trim() !== '' ? value : undefined;

export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

export const hasNoValue = (value: unknown): boolean =>
	isMissing(value) || (typeof value === 'string' && value.trim() === '');

/** An object's own `toString` could throw. */
export const keywordOf = (value: unknown): string =>
	typeof value === 'object' ? '{}' : String(value).trim().toLowerCase();

/** Expressions and browsers write booleans as text, databases as 1 and 0. */
export function booleanIn(value: unknown): boolean | undefined {
	const keyword = keywordOf(value);
	if (['true', '1'].includes(keyword)) return true;
	return ['false', '0'].includes(keyword) ? false : undefined;
}

/** Unicode has two encodings of `Größe`, and a blank may be a no-break space. */
export const nameKey = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim();

export const looseKey = (text: string): string => nameKey(text).toLowerCase();

export function findName(names: readonly string[], name: string): string | undefined {
	if (names.includes(name)) return name;
	const key = nameKey(name);
	return names.find((other) => nameKey(other) === key);
}

/** n8n's forms keep options in a collection with this label. */
export const OPTIONS = 'Options';

/** Names a field as the form does, with its place if it is an option. */
export const quoted = (label: string, group?: string): string =>
	group === undefined ? `'${label}'` : `'${label}' under '${group}'`;
