import { changeTexts } from '../../shared/nested';
import { type Excerpt } from '../../shared/text';
import { chunksWithoutTokens, withoutTokens } from '../../shared/file-tokens';
import { textsOf, type Part, type Run } from '../run';
import { readNotDone, type BlockedBy, type NotDone } from './not-done';
import { readRows, type ReadRows } from './read-rows';
import type { RowsFormat } from './types';
import type { ReadRun } from '../run/read-stream';

/** A run, and the obstacle that its agent reported, if any. */
export interface ReportedRun extends Run {
	blockedBy?: BlockedBy;
}

/** A run with its parsed reply. */
export interface Reply extends ReadRun {
	run: ReportedRun;
	/** For the operation `rows` only. */
	rows?: ReadRows;
}

/** What the agent was asked to reply with. */
interface RequestedReply {
	operation: string;
	/** Whether it was asked to report that it could not do its task. */
	checksDone: boolean;
	rows: RowsFormat | undefined;
}

/** Characters of the reason why a task is not done. */
const MAX_NOT_DONE_REASON = 2000;

/** What some models think before they write: one block at the very beginning of a text. */
const THINKING = /^\s*<think>[^]*?<\/think>\s*/i;

const withoutThinking = (part: Part): Part =>
	part.type === 'text' ? { ...part, text: String(part.text).replace(THINKING, '') } : part;

/** A completed run whose agent reports that it could not do its task is not done. */
function reported(run: Run, { reason, blockedBy }: Partial<NotDone>, excerpt: Excerpt): ReportedRun {
	if (reason === undefined || run.status !== 'completed') return run;
	const ending = { status: 'not_done' as const, reason: excerpt(reason, MAX_NOT_DONE_REASON) };
	return { ...run, ...ending, ...(blockedBy && { blockedBy }) };
}

/** Parses the agent's text. The raw output stays as it was received. */
export function readReply(read: ReadRun, { operation, checksDone, rows }: RequestedReply, excerpt: Excerpt): Reply {
	if (operation === 'raw') return read;
	const parts = read.run.message.parts.map(withoutThinking);
	const withParts = (parts: Part[]): Run => ({ ...read.run, message: { ...read.run.message, parts } });
	const run = withParts(parts);
	if (rows) {
		const found = readRows(textsOf(parts), rows, excerpt);
		return { ...read, rows: found, run: reported(run, found.notDone ?? {}, excerpt) };
	}
	if (!checksDone || run.status !== 'completed') return { ...read, run };
	const last = parts.findLast(({ type, text }) => type === 'text' && String(text).trim() !== '');
	const { text } = readNotDone(String(last?.text ?? ''));
	const cut = withParts(parts.map((part) => (part === last ? { ...part, text } : part)));
	return { ...read, run: reported(cut, readNotDone(textsOf(parts).at(-1) ?? ''), excerpt) };
}

/** A run without the tokens of file links, which its agent received. */
export const withoutFileTokens = ({ run, chunks, ...read }: ReadRun): ReadRun => ({
	...read,
	run: changeTexts(run, withoutTokens),
	chunks: chunksWithoutTokens(chunks),
});
