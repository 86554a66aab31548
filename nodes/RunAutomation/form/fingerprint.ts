import { createHash } from 'node:crypto';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';

import type { Field } from '../../shared/form/fields';
import { fields } from './fields';
import { limits, optionFields, withoutGroups } from './options';

/** Options that are not part of a request, in addition to *Limits*. */
const NOT_REQUESTED = ['ifIncomplete', 'ifNoRows', 'ifRowsInvalid', 'live'];

/** The values of a form that are part of a request, in its order. A group that was added has the defaults of its fields. */
const valuesOf = (form: Array<INodeProperties & Field>, values: INodeParameters) =>
	form
		.filter(({ type }) => type !== 'notice' && type !== 'collection')
		.filter(({ name, group }) => group !== limits.displayName && !NOT_REQUESTED.includes(name))
		.map((field) => values[field.name] ?? field.default);

/**
 * Hashes an item's request, so that *Retry* knows what has been paid for. Uses stored, unevaluated values: `{{ $now }}` would never
 * match.
 *
 * @param files what identifies the files for the agent
 * @returns a SHA-256 in base64
 */
export function requestFingerprint({ parameters }: INode, automationUrl: string, files: unknown[]): string {
	const request = [
		...valuesOf(fields, parameters),
		...valuesOf(optionFields, withoutGroups(parameters.options)),
		automationUrl,
		files,
	];
	return createHash('sha256').update(JSON.stringify(request)).digest('base64');
}
