/** A text of the stream for a warning or a reason, cut where it is longer than `limit`. The mark shows that it is cut. */
export const brief = (text: string, limit = 100): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);
