type TextField = { text: string; problem?: undefined } | { text?: undefined; problem: string };

/**
 * Reads the value of a text field, which an expression may turn into anything.
 *
 * @param label what the field is called in the form
 * @returns the text, trimmed and empty for no value; or the problem, naming the field, if the value is an object or a
 * list: as text it would be "[object Object]"
 */
export function readText(value: unknown, label: string): TextField {
	if (value === undefined || value === null) return { text: '' };
	if (typeof value === 'object') return { problem: `${label} must be text` };
	return { text: String(value).trim() };
}

/** What to do about a field that was given an object or a list. */
export const TEXT_ADVICE = 'Map a single text field, such as {{ $json.task }}, not a whole item or list';
