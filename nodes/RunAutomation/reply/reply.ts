import { changeTexts } from '../../shared/values/nested';
import type { Excerpt } from '../../shared/values/text';
import { chunksWithoutTokens, withoutTokens } from '../../shared/mask/file-tokens';
import type { Part } from '../run/chunk';
import { textsOf } from '../run/message';
import type { Run } from '../run/run-reader';
import { notDoneInText, type BlockedBy, type NotDone } from './not-done';
import { readRows, type RowsInReply } from './read-rows';
import type { RowsFormat } from '../columns/types';
import type { ReceivedRun } from '../run/read-stream';

export interface ReportedRun extends Run {
	blockedBy?: BlockedBy;
}

export interface Reply extends ReceivedRun {
	run: ReportedRun;
	/** For the operation `rows` only. */
	rows?: RowsInReply;
}

interface RequestedReply {
	operation: string;
	checksDone: boolean;
	rows: RowsFormat | undefined;
}

const MAX_NOT_DONE_REASON = 2000;

/** Some models think before they write. */
const THINKING = /^\s*<think>[^]*?<\/think>\s*/i;

const withoutThinking = (part: Part): Part =>
	part.type === 'text' ? { ...part, text: String(part.text).replace(THINKING, '') } : part;

/** Only a completed run can be not done. */
function reported(run: Run, { reason, blockedBy }: Partial<NotDone>, excerpt: Excerpt): ReportedRun {
	if (reason === undefined || run.status !== 'completed') return run;
	const ending = { status: 'not_done' as const, reason: excerpt(reason, MAX_NOT_DONE_REASON) };
	return { ...run, ...ending, ...(blockedBy && { blockedBy }) };
}

/** Parses the agent's text. Raw output stays as received. */
export function readReply(read: ReceivedRun, { operation, checksDone, rows }: RequestedReply, excerpt: Excerpt): Reply {
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
	const { text } = notDoneInText(String(last?.text ?? ''));
	const cut = withParts(parts.map((part) => (part === last ? { ...part, text } : part)));
	return { ...read, run: reported(cut, notDoneInText(textsOf(parts).at(-1) ?? ''), excerpt) };
}

/** A run without the tokens of file links, which its agent received. */
export const withoutFileTokens = ({ run, chunks, ...read }: ReceivedRun): ReceivedRun => ({
	...read,
	run: changeTexts(run, withoutTokens),
	chunks: chunksWithoutTokens(chunks),
});
