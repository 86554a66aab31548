/**
 * Reads the value of a number field, which an expression may turn into anything. Text that contains a number is accepted;
 * JavaScript would also make numbers of `true`, `[5]`, and nothing at all.
 *
 * @returns the number, or undefined if the value is not a number of at least `minimum`
 */
export function readNumber(value: unknown, minimum: number): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : Number.NaN;
	return Number.isFinite(number) && number >= minimum ? number : undefined;
}
