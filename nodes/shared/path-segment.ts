/**
 * Tells why a value cannot be one segment of a path, so that no request goes to another endpoint than the one meant.
 *
 * @param value an identifier or a name, as the form gives it
 * @returns what is wrong with it, to be put behind the name of its field, or undefined where it can be used
 */
export function findSegmentFault(value: unknown): string | undefined {
	if (value === undefined || value === null) return 'is empty';
	if (typeof value !== 'string' && typeof value !== 'number') return 'is not a text';
	const text = String(value);
	if (text.trim() === '') return 'is empty';
	// Percent-encoding leaves dots as they are, and every client then takes the segment out of the path.
	if (text === '.' || text === '..') return 'must not be "." or ".."';
	return isEncodable(text) ? undefined : 'holds half a character';
}

function isEncodable(text: string): boolean {
	try {
		encodeURIComponent(text);
		return true;
	} catch {
		return false;
	}
}

/** A value as one percent-encoded segment of a path; see {@link findSegmentFault} for the values that can be one. */
export const encodeSegment = (value: unknown): string => encodeURIComponent(String(value));
