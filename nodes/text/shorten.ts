/** A text of at most `limit` characters, followed by "…" if more was cut off. */
export const shorten = (text: string, limit = 100): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);
