import { refused } from '../errors/failure';
import { quoted, readJsonObject, type Field } from '../form/fields';

/**
 * Reads *Additional Body Fields* of a start: fields of the service that the form does not have. What the form sends itself
 * takes precedence.
 *
 * @throws Failed if it is not a JSON object, or decides whether the run is waited for
 */
export function readBodyFields(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	const given = readJsonObject(field, value, stored);
	if (!('detach' in given)) return given;
	throw refused(
		`${quoted(field.displayName)} must not contain "detach"`,
		'The operation decides whether a run continues in the background. Remove this field',
	);
}
