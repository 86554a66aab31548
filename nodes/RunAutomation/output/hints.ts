import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { Execution } from '../../shared/execution';
import { withoutTokens } from '../../shared/file-tokens';
import type { Ledger } from '../../shared/ledger';
import { quietly } from '../../shared/record-runs';
import { type DetachedStart } from '../../shared/start-response';
import { parseUrl } from '../../shared/url';
import { shortenList } from '../../shared/text';
import type { RunRequest } from '../form/run-request';
import type { Reply } from '../reply/reply';
import { emptyColumns, type ReadRows } from '../reply/read-rows';
import type { RowsFormat } from '../reply/types';
import { textsOf } from '../run/message';
import type { ItemContext } from '../start';
import type { Outcome } from './outcome';

const MAX_HINTS = 5;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

declare const ESCAPED: unique symbol;

/** Only `html` makes it: n8n renders links and images. */
type HintHtml = string & { [ESCAPED]: true };

/** Escapes every value. No policy of redaction covers hints: they never have values of items or texts of the service. */
export const html = (texts: TemplateStringsArray, ...values: Array<string | number>): HintHtml =>
	texts.reduce((all, text, index) => `${all}${escape(values[index - 1] ?? '')}${text}`) as HintHtml;

const escape = (value: string | number): string =>
	withoutTokens(String(value)).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

export interface Hint extends NodeExecutionHint {
	message: HintHtml;
}

export const hint = (message: HintHtml, type: NodeExecutionHint['type']): Hint => ({
	message,
	type,
	location: 'outputPane',
});

export const formHints = (sentences: string[]): Hint[] => sentences.map((text) => hint(html`${text}`, 'warning'));

const hintsIf = (...rows: Array<[condition: unknown, message: HintHtml, type?: NodeExecutionHint['type']]>): Hint[] =>
	rows.filter(([condition]) => condition).map(([, message, type = 'warning']) => hint(message, type));

/** Under a redaction policy, the link has no query, which may contain values. */
export function backgroundHints(
	{ thread_id, url }: DetachedStart,
	{ batch: { execution }, mask }: ItemContext,
): Hint[] {
	const link = execution.isRedacted ? String(url).replace(/[?#][^]*$/, '') : String(url);
	const isLink = /^https?:/i.test(link) && parseUrl(link);
	const thread = isLink
		? html`The run continues in the background: <a href="${mask(link)}" target="_blank">open its thread</a>`
		: html`The run continues in the background: its thread is ${mask(thread_id)}`;
	return [hint(thread, 'info')];
}

function rowsHints({ rows, problems, withoutValue = '', isEarlier, leftOut }: ReadRows, format: RowsFormat): Hint[] {
	const empty = emptyColumns(rows, format).map((name) => `"${name}"`);
	const others = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
	return hintsIf(
		[problems.length, html`Only valid rows are returned. ${withoutValue}${others}`],
		[!problems.length && !rows.length, html`The run found no rows`, 'info'],
		[empty.length, html`No row has a value for ${empty.join(', ')}`],
		[leftOut, html`${leftOut ?? ''}`],
		[isEarlier, html`The rows come from an earlier step of the run, because the last text has none`, 'info'],
	);
}

const isEmptyRun = ({ status, message: { parts }, data }: Reply['run']): boolean =>
	status === 'completed' &&
	textsOf(parts).length === 0 &&
	Object.keys(data).length === 0 &&
	!parts.some(({ type }) => type === 'file');

/** @param missingFiles a sentence each */
export function runHints(
	{ run, rows, chunksLeftOut }: Reply,
	{ chunkLimit, operation, rows: format }: Pick<RunRequest, 'chunkLimit' | 'operation' | 'rows'>,
	missingFiles: string[],
	corrections: number,
): Hint[] {
	return [
		...hintsIf(
			[run.status !== 'completed', html`Partial result: ${run.status}`],
			[operation === 'result' && isEmptyRun(run), html`The run returned no text`],
			[run.warnings.length, html`Warnings of the run: ${run.warnings.length}`],
			[missingFiles.length, html`Missing files: ${missingFiles.length}`],
			[chunksLeftOut, html`The limit of ${chunkLimit} chunks was reached. Chunks not returned: ${chunksLeftOut}`],
		),
		...(rows && format ? rowsHints(rows, format) : []),
		...hintsIf([corrections, html`Billed corrections of rows: ${corrections}`, 'info']),
	];
}

interface ProcessedItem {
	parsed: { value?: { request: RunRequest } };
	ledger: Ledger<Outcome>;
}

/** What a person should change in the form before the workflow is published. */
export function editorHints({ isTool, mode, node }: Execution, items: ProcessedItem[]): Hint[] {
	if (isTool || mode !== 'manual') return [];
	const isFixed = !String(node.parameters.threadId).startsWith('=');
	const continuesThread = ({ parsed: { value }, ledger }: ProcessedItem) =>
		value?.request.body.thread_id !== undefined && ledger.effect === 'run';
	const hasBareRows = ({ parsed: { value }, ledger: { state } }: ProcessedItem) =>
		value?.request.rows?.included.length === 0 && !state.outcome?.failure && state.outcome?.items.length;
	return hintsIf(
		[
			isFixed && items.some(continuesThread),
			html`Continued an earlier thread. Clear 'Thread ID', and restore 'Task', before you publish`,
		],
		[
			items.length > 1 && items.some(hasBareRows),
			html`Rows do not show their input item. Before the next run, set 'Include Input Fields'`,
		],
	);
}

const MAX_NAMED = 5;

/** In n8n's notation, which counts from 0. */
const namesOf = (items: number[]): string =>
	shortenList(
		items.map((item) => `[item ${item}]`),
		MAX_NAMED,
	).join(', ');

/** For a node that continues on errors: n8n marks it as a success. */
export const failedItemsHint = (failed: number[], count: number): Hint[] =>
	failed.length ? [hint(html`${failed.length} of ${count} items failed: ${namesOf(failed)}`, 'warning')] : [];

/** Each hint once; with several items, after those that it concerns. */
function withItems(hintsOfItems: Hint[][]): Hint[] {
	const found = new Map<HintHtml, { hint: Hint; items: number[] }>();
	for (const [item, hints] of hintsOfItems.entries()) {
		for (const hint of hints) {
			const known = found.get(hint.message) ?? { hint, items: [] };
			if (known.items.at(-1) !== item) known.items.push(item);
			found.set(hint.message, known);
		}
	}
	return [...found.values()].map(({ hint, items }) =>
		hintsOfItems.length === 1 ? hint : { ...hint, message: `${namesOf(items)}: ${hint.message}` as HintHtml },
	);
}

/**
 * Shows hints after the run, if this version of n8n can.
 *
 * @param hintsOfItems a list for each input item
 * @param general of no single item
 */
export function showHints(context: IExecuteFunctions, hintsOfItems: Hint[][], general: Hint[]): void {
	const different = [...general, ...withItems(hintsOfItems)];
	const shown = different.slice(0, MAX_HINTS);
	const rest = different.length - shown.length;
	const more = rest ? [hint(html`Hints not shown: ${rest}`, 'info')] : [];
	quietly(() => context.addExecutionHints(...shown, ...more));
}
