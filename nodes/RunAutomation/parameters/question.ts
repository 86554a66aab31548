import { createHash } from 'node:crypto';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';

import { fields } from './form';
import { options } from './options';

/** Options that decide how long and how often something is tried, and who sees it: changing them asks nothing else. */
const NOT_ASKED = [
	...['idleTimeout', 'maxResponseSize', 'maxRuns', 'parallelRuns', 'totalTimeout', 'waitIfBusy'],
	...['live', 'maxFollowUps', 'restartFailed'],
];

/** The values of what a form asks for, in its order. */
const valuesOf = (form: INodeProperties[], values: INodeParameters) =>
	form
		.filter(({ name, type }) => type !== 'notice' && type !== 'collection' && !NOT_ASKED.includes(name))
		.map((field) => values[field.name] ?? field.default);

/**
 * Tells what an item asks for, so that *Retry* in the list of executions knows what has been paid for. Of the values as stored:
 * a task with `{{ $now }}` would never be the same, and the input of a *Retry* is.
 *
 * @param files what tells the files for the agent from others
 * @returns a SHA-256 in base64
 */
export function questionOf({ parameters, credentials }: INode, automationUrl: string, files: unknown[]): string {
	const asked = [
		...valuesOf(fields, parameters),
		...valuesOf(options, Object(parameters.options) as INodeParameters),
		automationUrl,
		credentials?.browserAutomationApi?.id ?? null,
		files,
	];
	return createHash('sha256').update(JSON.stringify(asked)).digest('base64');
}
