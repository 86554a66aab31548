const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** In 1.234, the point may separate decimals or thousands. */
export const isAmbiguous = (text: string): boolean => AMBIGUOUS.test(text.trim());

/** The number in a text: a plain decimal that can be read in one way only. */
export function decimalOf(text: string): string | undefined {
	const trimmed = text.trim();
	return DECIMAL.test(trimmed) && !AMBIGUOUS.test(trimmed) ? trimmed : undefined;
}
