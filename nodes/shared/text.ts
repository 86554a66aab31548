export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Slices keep the text. */
export const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** With "…" if it was cut, never in a character. */
export function shorten(text: string, limit = 100): string {
	if (text.length <= limit) return text;
	const kept = text.slice(0, limit);
	return copyText(`${/[\ud800-\udbff]$/.test(kept.slice(-1)) ? kept.slice(0, -1) : kept}…`);
}

/** May mask. */
export type Excerpt = typeof shorten;

/** In one line, without control characters. */
export const visible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const HIDING = /[`\p{Cf}\p{Default_Ignorable_Code_Point}\u007f-\u009f\u2028\u2029\u2800]/gu;

/** Of the same value. */
export const escapeHidden = (json: string): string =>
	json.replace(HIDING, (character) =>
		character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
	);

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const shortenList = (texts: string[], limit: number): string[] =>
	texts.length > limit ? [...texts.slice(0, limit), `and ${texts.length - limit} more`] : texts;

export const filledText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

/** `Größe` has two encodings in Unicode. */
export const nameKey = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim();

export function findName(names: readonly string[], name: string): string | undefined {
	if (names.includes(name)) return name;
	const key = nameKey(name);
	return names.find((other) => nameKey(other) === key);
}

export const quoted = (label: string, group?: string): string => (group ? `'${label}' under '${group}'` : `'${label}'`);
