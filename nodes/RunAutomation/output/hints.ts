// The hints that a person sees above the output of Run Automation.

import type { Execution } from '../../shared/n8n/execution';
import { hint, html, type Hint } from '../../shared/items/hint';
import { hintsIf, withoutItems } from '../../shared/items/hints';
import type { BackgroundStart } from '../../shared/start/start-response';
import { parseUrl } from '../../shared/values/url';
import type { RunRequest } from '../form/run-request';
import type { Reply } from '../reply/reply';
import { emptyColumns, type RowsInReply } from '../reply/read-rows';
import type { RowsFormat } from '../columns/schema';
import { textsOf } from '../run/message/message';

export const formHints = (sentences: string[]): Hint[] => sentences.map((text) => hint(html`${text}`, 'warning'));

/** A redaction policy forbids the link: its path and query may contain values. */
export function backgroundHints(
	{ thread_id, url }: BackgroundStart,
	{ isRedacted }: Execution,
	mask: (text: string) => string,
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
	const { rows, problems, isEarlier, leftOut } = read;
	const empty = emptyColumns(rows, format);
	const names = execution.isRedacted
		? `${empty.length} of the columns`
		: empty.map((name) => JSON.stringify(name)).join(', ');
	return hintsIf(
		[problems.length, html`Only valid rows are returned. Invalid values: ${problems.length}`],
		[!problems.length && !rows.length, html`The run found no rows${withoutItems(execution.node)}`, 'info'],
		[empty.length, html`No row has a value for ${names}`],
		[leftOut, html`${leftOut ?? ''}`],
		[isEarlier, html`The rows come from an earlier step of the run, because the last text has none`, 'info'],
	);
}

const isEmptyRun = ({ status, message: { parts }, data }: Reply['run']): boolean =>
	status === 'completed' &&
	textsOf(parts).length === 0 &&
	Object.keys(data).length === 0 &&
	!parts.some(({ type }) => type === 'file');

export function runHints(
	{ run, rows }: Reply,
	{ operation, rows: format }: Pick<RunRequest, 'operation' | 'rows'>,
	missingFiles: string[],
	execution: Execution,
): Hint[] {
	return [
		...hintsIf(
			[run.status !== 'completed', html`Partial result: ${run.status}`],
			[operation === 'result' && isEmptyRun(run), html`The run returned no text`],
			[run.warnings.length, html`Warnings of the run: ${run.warnings.length}`],
			[missingFiles.length, html`Missing files: ${missingFiles.length}`],
		),
		...(rows && format ? rowsHints(rows, format, execution) : []),
	];
}
