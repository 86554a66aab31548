/** A plain decimal: neither `0x10` nor `1e3`. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** Whether a text may mean two numbers: in 1.234, the point may separate decimals or thousands. */
export const isAmbiguous = (text: string): boolean => AMBIGUOUS.test(text.trim());

/** A text without blanks around it if it is a number that can be read in one way only. */
export function decimalOf(text: string): string | undefined {
	const trimmed = text.trim();
	return DECIMAL.test(trimmed) && !AMBIGUOUS.test(trimmed) ? trimmed : undefined;
}
