import { createHash } from 'node:crypto';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';

import type { Field } from '../../form/field';
import { fields } from './form';
import { limits, optionFields, withoutGroups } from './options';

/** Options that only decide what becomes of a run that did not complete, or of rows. */
const OUTCOME = ['ifIncomplete', 'ifNoRows', 'ifRowsDoNotFit'];

/** Options that ask for nothing: who sees a run, beside how long and how often something is tried, which stands in *Limits*. */
const NOT_REQUESTED = [...OUTCOME, 'ifConnectionBreaks', 'live'];

/** The values of what a form asks for, in its order. A group that was added has the defaults of its fields. */
const valuesOf = (form: Array<INodeProperties & Field>, values: INodeParameters) =>
	form
		.filter(({ type }) => type !== 'notice' && type !== 'collection')
		.filter(({ name, group }) => group !== limits.displayName && !NOT_REQUESTED.includes(name))
		.map((field) => values[field.name] ?? field.default);

/**
 * Tells what an item asks for, so that *Retry* in the list of executions knows what has been paid for. Of the values as stored:
 * a task with `{{ $now }}` would never be the same, and the input of a *Retry* is.
 *
 * @param files what tells the files for the agent from others
 * @returns a SHA-256 in base64
 */
export function requestFingerprint({ parameters }: INode, automationUrl: string, files: unknown[]): string {
	const asked = [
		...valuesOf(fields, parameters),
		...valuesOf(optionFields, withoutGroups(parameters.options)),
		automationUrl,
		files,
	];
	return createHash('sha256').update(JSON.stringify(asked)).digest('base64');
}

/** What a form says becomes of a run that did not complete, or of rows, as stored. */
export function outcomeChoices({ parameters }: INode): string {
	const values = withoutGroups(parameters.options);
	const chosen = optionFields
		.filter(({ name }) => OUTCOME.includes(name))
		.map((field) => values[field.name] ?? field.default);
	return JSON.stringify(chosen);
}
