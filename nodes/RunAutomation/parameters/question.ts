import { createHash } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';

import { agentOptions } from '../../starts/start-fields';

/** The fields and options that decide what a run is asked and which items it becomes. */
export const ASKED = [
	...['operation', 'query', 'threadId', 'columnsFrom', 'columns', 'jsonExample', 'rows', 'output', 'simplify'],
	...['include', 'fieldsToInclude'],
];
export const ASKED_OPTIONS = [
	...agentOptions.map(({ name }) => name),
	...[
		'additionalBodyFields',
		'agentFiles',
		'chunkLimit',
		'downloadLinks',
		'filesProperty',
		'includeFiles',
		'includeRunDetails',
	],
	...['checkDone', 'ifIncomplete', 'ifNoRows', 'ifRowsDoNotFit'],
];

/** Options that decide how long and how often something is tried, and who sees it: changing them asks nothing else. */
export const NOT_ASKED_OPTIONS = [
	...['idleTimeout', 'maxResponseSize', 'maxRuns', 'parallelRuns', 'totalTimeout', 'waitIfBusy'],
	...['live', 'maxFollowUps', 'restartFailed'],
];

/**
 * Tells what an item asks for, so that *Retry* in the list of executions knows what has been paid for. Of the values as stored:
 * a task with `{{ $now }}` would never be the same, and the input of a *Retry* is.
 *
 * @param files what tells the files for the agent from others
 * @returns a SHA-256 in base64
 */
export function questionOf({ parameters, credentials }: INode, automationUrl: string, files: unknown[]): string {
	const options = Object(parameters.options) as INodeParameters;
	const asked = [
		...ASKED.map((name) => parameters[name] ?? null),
		...ASKED_OPTIONS.map((name) => options[name] ?? null),
		automationUrl,
		credentials?.browserAutomationApi?.id ?? null,
		files,
	];
	return createHash('sha256').update(JSON.stringify(asked)).digest('base64');
}
