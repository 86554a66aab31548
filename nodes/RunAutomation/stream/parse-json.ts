/**
 * Parses a JSON text that a stranger wrote.
 *
 * @returns the value without any key `__proto__`, or undefined where the text is not JSON
 */
export function parseJson(text: string): unknown {
	try {
		// An own `__proto__` would become a prototype as soon as anything copies the object by assignment.
		const mayHoldPrototype = text.includes('__proto__') || text.includes('\\u00');
		return mayHoldPrototype
			? JSON.parse(text, (key, inner: unknown) => (key === '__proto__' ? undefined : inner))
			: JSON.parse(text);
	} catch {
		return undefined;
	}
}
