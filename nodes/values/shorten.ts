/** A text of at most `limit` characters, followed by "…" if more was cut off. */
export const shorten = (text: string, limit = 100): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);

/** The first texts of a list, and how many more there are. */
export const shortenList = (texts: string[], limit: number): string[] =>
	texts.length > limit ? [...texts.slice(0, limit), `and ${texts.length - limit} more`] : texts;
