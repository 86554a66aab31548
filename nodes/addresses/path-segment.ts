/**
 * Tells why a text cannot be one segment of a path, so that no request goes to another endpoint than the one meant.
 *
 * @param text an identifier or a name, from the form, trimmed
 * @returns the problem, as the end of a sentence that begins with the name of its field, or undefined if it can be used
 */
export function findSegmentProblem(text: string): string | undefined {
	if (text === '') return 'is empty';
	// Percent-encoding leaves dots as they are, and every client then takes the segment out of the path.
	if (text === '.' || text === '..') return 'must not be "." or ".."';
	return isEncodable(text) ? undefined : 'contains invalid characters';
}

function isEncodable(text: string): boolean {
	try {
		encodeURIComponent(text);
		return true;
	} catch {
		return false;
	}
}
