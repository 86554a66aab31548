// Reads decimal numbers from text, and recognizes ambiguous ones.

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** Banks write U+2212 for a minus. */
const written = (text: string): string => text.trim().replace(/^\u2212/, '-');

/** In 1.234, the point may separate decimals or thousands. */
export const isAmbiguous = (text: string): boolean => AMBIGUOUS.test(written(text));

export function decimalOf(text: string): string | undefined {
	const decimal = written(text);
	return DECIMAL.test(decimal) && !AMBIGUOUS.test(decimal) ? decimal : undefined;
}
