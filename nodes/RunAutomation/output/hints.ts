import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { parseUrl, shortenList } from '../../values';
import type { FollowUpCounts } from '../follow-ups';
import type { RunRequest } from '../parameters/run-request';
import { emptyColumns, type ReadRows } from '../rows/read-rows';
import type { RowsFormat } from '../rows/types';
import type { ReadRun } from '../transport/read-stream';
import { quietly } from '../../starts/record-runs';
import type { DetachedStart } from '../../starts/response';
import { withCount } from './outcome';

/** Hints that are shown for one execution; more would hide the output. */
const MAX_HINTS = 5;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text that a server wrote. n8n renders hints as HTML, with links and pictures. */
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]);

/** A hint below the output. */
export const hint = (html: string, type: NodeExecutionHint['type']): NodeExecutionHint => ({
	message: html,
	type,
	location: 'outputPane',
});

/**
 * How hints speak of what a server wrote: without secrets, and not at all under a policy of redaction, which takes the data out of
 * items and errors, but not out of hints.
 */
export interface HintStyle {
	mask(text: string): string;
	isRedacted: boolean;
}

/** A sentence that may quote a value, or what is said in its place under a policy of redaction. */
const orWithoutValues = ({ mask, isRedacted }: HintStyle, sentence: string, withoutValues: string): string =>
	isRedacted ? withoutValues : escape(mask(sentence));

/** The hint for a run in the background. */
export function detachedHint({ thread_id, url }: DetachedStart, voice: HintStyle): NodeExecutionHint {
	const given = String(url);
	const link = voice.isRedacted ? given.replace(/[?#][^]*$/, '') : given;
	const thread =
		/^https?:/i.test(link) && parseUrl(link)
			? `<a href="${escape(voice.mask(link))}" target="_blank">open its thread</a>`
			: `its thread is ${escape(voice.mask(thread_id))}`;
	return hint(`The run continues in the background: ${thread}`, 'info');
}

/** The hint for links to files that end before a run in the background may have opened them. */
export const shortLinksHint = hint(
	'The links to the files end soon, because this workflow does not save successful executions',
	'warning',
);

/** The hints for what the form says, although it could be sent. */
export const formHints = (sentences: string[]): NodeExecutionHint[] =>
	sentences.map((sentence) => hint(escape(sentence), 'warning'));

const MANY_RUNS = 20;

/** The hint for many billed runs in one execution. */
export const countHint = (runs: number): NodeExecutionHint[] =>
	runs > MANY_RUNS ? [hint(`${runs} runs were started`, 'info')] : [];

/**
 * The hints for the rows of a run: that there are none, that some do not fit or do not count, that a column is
 * empty, and how the rows were found.
 */
export function rowsHints(
	{ rows, problems, withoutValue = '', isEarlier, leftOut }: ReadRows,
	format: RowsFormat,
	voice: HintStyle,
): NodeExecutionHint[] {
	const empty = emptyColumns(rows, format).map((name) => `"${escape(name)}"`);
	const problem = problems.length && orWithoutValues(voice, withCount(problems), escape(withoutValue));
	const told: Array<[unknown, string, NodeExecutionHint['type']]> = [
		[problem, `Only the rows that fit are returned. ${problem}`, 'warning'],
		[!problem && rows.length === 0, `The run found no rows`, 'info'],
		[empty.length, `No row has a value for ${empty.join(', ')}`, 'warning'],
		[leftOut, leftOut ?? '', 'warning'],
		[isEarlier, `The rows are from an earlier text of the run, because its last one has none`, 'info'],
	];
	return told.filter(([isSo]) => isSo).map(([, html, type]) => hint(html, type));
}

/** The hints for follow-up runs: how many were started, and why. */
export const followUpHints = ({ lost, misfit }: FollowUpCounts): NodeExecutionHint[] =>
	[
		lost && `Follow-up runs that were started because the connection was lost, and billed: ${lost}`,
		misfit && `Follow-up runs that were started to correct rows, and billed: ${misfit}`,
	]
		.filter((text) => text !== 0)
		.map((text) => hint(text, 'info'));

/**
 * The hints for a run that was read to its end: what is missing in its output, and why.
 *
 * @param lost why something that the run returned is not in the output, one sentence each
 */
export function runHints(
	{ run, chunksLeftOut }: ReadRun,
	{ chunkLimit }: Pick<RunRequest, 'chunkLimit'>,
	voice: HintStyle,
	lost: string[] = [],
): NodeExecutionHint[] {
	const missing = (sentences: string[], what: string) =>
		sentences.length > 0 && orWithoutValues(voice, withCount(sentences), `${what}: ${sentences.length}`);
	const limit = `The limit of ${chunkLimit} chunks was reached`;
	const told = [
		run.status !== 'completed' && `Partial result: ${orWithoutValues(voice, run.reason ?? run.status, run.status)}`,
		missing(run.warnings, 'Parts of the output that could not be read'),
		missing(lost, 'Files that are missing'),
		chunksLeftOut > 0 && `${limit}: ${chunksLeftOut} later chunks were read but not returned`,
	];
	return told.filter((html) => html !== false).map((html) => hint(html, 'warning'));
}

/** Numbers of items that stand before a hint; n8n counts from 0, too. */
const MAX_NUMBERS = 5;

/** The hints of all items, each once; of several items, with the numbers of those that it is about. */
function numbered(hintsOfItems: NodeExecutionHint[][]): NodeExecutionHint[] {
	const found = new Map<string, { one: NodeExecutionHint; items: number[] }>();
	for (const [item, hints] of hintsOfItems.entries()) {
		for (const one of hints) {
			const known = found.get(one.message) ?? { one, items: [] };
			if (known.items.at(-1) !== item) known.items.push(item);
			found.set(one.message, known);
		}
	}
	return [...found.values()].map(({ one, items }) => {
		if (hintsOfItems.length === 1) return one;
		const about = shortenList(items.map(String), MAX_NUMBERS).join(', ');
		return { ...one, message: `Item${items.length > 1 ? 's' : ''} ${about}: ${one.message}` };
	});
}

/**
 * Shows hints after the run, if this version of n8n can: each once, and many become a few and one that counts the rest.
 *
 * @param hintsOfItems a list for each input item
 * @param ofAll hints that are about no item
 */
export function showHints(
	context: IExecuteFunctions,
	hintsOfItems: NodeExecutionHint[][],
	ofAll: NodeExecutionHint[],
): void {
	const different = [...ofAll, ...numbered(hintsOfItems)];
	const shown = different.slice(0, MAX_HINTS);
	const rest = different.length - shown.length;
	const more = rest ? [hint(`${rest} more hints are not shown`, 'info')] : [];
	quietly(() => context.addExecutionHints(...shown, ...more));
}
