// The hash by which *Retry execution* recognizes a request whose run has been paid for.

import { createHash } from 'node:crypto';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';

/**
 * Lists stored values that differ from the form's defaults, by name: a field that a later version adds, with its default, changes no
 * hash. Stored values count, because `{{ $now }}` would never match.
 */
export const changedValues = (form: INodeProperties[], stored: INodeParameters): INodeParameters =>
	Object.fromEntries(
		form
			.filter(({ name, default: initial }) => stored[name] !== undefined && !isSameJson(stored[name], initial))
			.map(({ name }) => [name, stored[name]] as const)
			.sort(([one], [other]) => (one < other ? -1 : 1)),
	);

const isSameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

export const fingerprintOf = (...request: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(request)).digest('base64');
