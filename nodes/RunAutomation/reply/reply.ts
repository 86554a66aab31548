import { changeTexts } from '../../shared/nested';
import { type Excerpt } from '../../shared/text';
import { chunksWithoutTokens, withoutTokens } from '../../shared/file-tokens';
import { textsOf, type Run } from '../run';
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
	/** Whether it was asked to report that it could not do its task. */
	checksDone: boolean;
	rows: RowsFormat | undefined;
}

/** Characters of the reason why a task is not done. */
const MAX_NOT_DONE_REASON = 2000;

/** Parses the agent's text. A completed run whose agent reports that it could not do its task is not done. */
export function readReply(read: ReadRun, { checksDone, rows }: RequestedReply, excerpt: Excerpt): Reply {
	const { run } = read;
	const { parts } = run.message;
	const texts = textsOf(parts);
	const found = rows && readRows(texts, rows, excerpt);
	const reply = { ...read, ...(found && { rows: found }) };
	if (!checksDone || run.status !== 'completed') return reply;
	const { reason, blockedBy }: Partial<NotDone> = (found ? found.notDone : readNotDone(texts.at(-1) ?? '')) ?? {};
	const about = reason !== undefined && {
		status: 'not_done' as const,
		reason: excerpt(reason, MAX_NOT_DONE_REASON),
		...(blockedBy && { blockedBy }),
	};
	if (found) return { ...reply, run: { ...run, ...about } };
	const last = parts.findLast(({ type, text }) => type === 'text' && String(text).trim() !== '');
	const text = readNotDone(String(last?.text ?? '')).text;
	const message = { ...run.message, parts: parts.map((part) => (part === last ? { ...part, text } : part)) };
	return { ...reply, run: { ...run, message, ...about } };
}

/** A run without the tokens of file links, which its agent received. */
export const withoutFileTokens = ({ run, chunks, ...read }: ReadRun): ReadRun => ({
	...read,
	run: changeTexts(run, withoutTokens),
	chunks: chunksWithoutTokens(chunks),
});
