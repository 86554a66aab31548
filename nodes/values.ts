/** Whether a value is an object as JSON has them: no list, and not null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text of its own: a slice would keep all of the long text that it was cut from in memory. */
export const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** A text of at most `limit` characters, followed by "…" if more was cut off. */
export const shorten = (text: string, limit = 100): string =>
	text.length > limit ? copyText(`${text.slice(0, limit)}…`) : text;

/** The first texts of a list, and how many more there are. */
export const shortenList = (texts: string[], limit: number): string[] =>
	texts.length > limit ? [...texts.slice(0, limit), `and ${texts.length - limit} more`] : texts;

/** A value if it is a text with anything in it. */
export const filledText = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;
