// Makes the hash by which *Retry execution* recognizes a request whose run is already billed.

import { createHash } from 'node:crypto';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';

/**
 * Stored values count, because `{{ $now }}` never has the same value. A default does not, so that a field of a later version
 * changes no hash.
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
