// The hints that a person sees above the output of Run Automation.

import type { Secrets } from '../../shared/mask/secrets';
import type { Execution } from '../../shared/n8n/execution';
import { hint, hintsIf, html, sentenceIfEmpty, type Hint } from '../../shared/items/hints';
import type { BackgroundStart } from '../../shared/start/start-response';
import { parseUrl } from '../../shared/values/url';
import type { RunRequest } from '../form/run-request';
import type { RowsInReply } from '../reply/read-rows';
import type { RowsFormat } from '../columns/schema';
import type { Run } from '../run/run';

/** A redaction policy forbids the link: its path and query may contain values. */
export function backgroundHints(
	{ thread_id, url }: BackgroundStart,
	{ isRedacted }: Execution,
	{ mask }: Secrets,
): Hint[] {
	const link = String(url);
	const target = parseUrl(link);
	// A user name can look like the service's host.
	const isLink = !isRedacted && /^https?:/i.test(link) && target && !target.username && !target.password;
	const thread = isLink
		? html`The run continues in the background: <a href="${mask(link)}" target="_blank">open its thread</a>`
		: html`The run continues in the background: its thread is ${mask(thread_id)}`;
	return [hint(thread, 'info')];
}

function rowsHints(read: RowsInReply, format: RowsFormat, execution: Execution): Hint[] {
	const { rows, problems, leftOut } = read;
	const hasNoValues = (name: string) => rows.length > 0 && rows.every((row) => (row[name] ?? '') === '');
	const empty = format.columns.filter(hasNoValues);
	const names = execution.isRedacted
		? `${empty.length} of the columns`
		: empty.map((name) => JSON.stringify(name)).join(', ');
	return hintsIf(
		[problems.length, html`Only valid rows are returned. Invalid values: ${problems.length}`],
		[!problems.length && !rows.length, html`The run found no rows${sentenceIfEmpty(execution.node)}`, 'info'],
		[empty.length, html`No row has a value for ${names}`],
		[leftOut, html`${leftOut ?? ''}`],
		[format.unchecked, html`Rules that the agent is told, but that are not checked: ${format.unchecked}`, 'info'],
	);
}

export function runHints(
	run: Run,
	{ operation, rows: format }: RunRequest,
	missingFiles: number,
	execution: Execution,
): Hint[] {
	const { status, text, data, files, warnings, rows } = run;
	const isEmpty = status === 'completed' && text === '' && Object.keys(data).length + files.length === 0;
	return [
		...hintsIf(
			[status !== 'completed', html`Partial result: ${status}`],
			[operation === 'result' && isEmpty, html`The run returned no text`],
			[warnings.length, html`Warnings of the run: ${warnings.length}`],
			[missingFiles, html`Missing files: ${missingFiles}`],
		),
		...(rows && format ? rowsHints(rows, format, execution) : []),
	];
}
