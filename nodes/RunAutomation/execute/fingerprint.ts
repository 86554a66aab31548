import { createHash } from 'node:crypto';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';

import type { Field } from '../../shared/form/fields';
import { fields } from '../form/fields';
import { limits, optionFields, withoutGroups } from '../form/options';

/** Not part of a request, as *Limits* are not. */
const NOT_REQUESTED = ['corrections', 'ifIncomplete', 'ifNoRows', 'ifRowsInvalid', 'live'];

/** Their defaults count: n8n stores those of a group that was added. */
const valuesOf = (form: Array<INodeProperties & Field>, values: INodeParameters) =>
	form
		.filter(({ type }) => type !== 'notice' && type !== 'collection')
		.filter(({ name, group }) => group !== limits.displayName && !NOT_REQUESTED.includes(name))
		.map((field) => values[field.name] ?? field.default);

/** Hashes what *Retry* compares to know what has been paid for: stored values, because `{{ $now }}` would never match. */
export function requestFingerprint({ parameters }: INode, automationUrl: string, files: unknown[]): string {
	const request = [
		...valuesOf(fields, parameters),
		...valuesOf(optionFields, withoutGroups(parameters.options)),
		automationUrl,
		files,
	];
	return createHash('sha256').update(JSON.stringify(request)).digest('base64');
}
