// Reads base64 as people and programs write it: with blanks, line ends or without padding, and in the alphabet of URLs.

/** Undefined if the text is no base64. */
export function bytesOfBase64(text: string): Buffer | undefined {
	const digits = text.replace(/\s+/g, '').replace(/={1,2}$/, '');
	// A single last digit is not a byte.
	if (/[^\w+/-]/.test(digits) || digits.length % 4 === 1) return undefined;
	return Buffer.from(digits, 'base64');
}
