// Reads an agent's text: its rows, or why its task is not done.

import { changeTexts } from '../../shared/values/nested';
import type { Excerpt } from '../../shared/values/text';
import { chunksWithoutTokens, withoutTokens } from '../../shared/mask/file-tokens';
import type { Part } from '../run/message/chunk';
import { textsOf } from '../run/message/message';
import type { Run } from '../run/run-reader';
import { notDoneInText, type BlockedBy, type NotDone } from './not-done';
import { ownText } from './text/own-text';
import { readRows, type RowsInReply } from './read-rows';
import type { RowsFormat } from '../columns/types';
import type { ReceivedRun } from '../run/read-stream';

export interface ReportedRun extends Run {
	blockedBy?: BlockedBy;
}

export interface Reply extends ReceivedRun {
	run: ReportedRun;
	/** Only the operation `rows` has them. */
	rows?: RowsInReply;
}

interface RequestedReply {
	operation: string;
	checksDone: boolean;
	rows: RowsFormat | undefined;
}

const MAX_NOT_DONE_REASON = 2000;

const ENDS_IN_CALL = 'The reply ends in a tool call that is written as text';

/** Only a completed run can become `not_done`, or `incomplete` because of its text. */
function reported(
	run: Run,
	{ reason, blockedBy }: Partial<NotDone>,
	endsInCall: boolean,
	excerpt: Excerpt,
): ReportedRun {
	if (run.status !== 'completed') return run;
	if (reason === undefined) return endsInCall ? { ...run, status: 'incomplete', reason: ENDS_IN_CALL } : run;
	const ending = { status: 'not_done' as const, reason: excerpt(reason, MAX_NOT_DONE_REASON) };
	return { ...run, ...ending, blockedBy };
}

const isText = ({ type, text }: Part): boolean => type === 'text' && String(text).trim() !== '';

export function readReply(read: ReceivedRun, { operation, checksDone, rows }: RequestedReply, excerpt: Excerpt): Reply {
	if (operation === 'raw') return read;
	const { parts: written } = read.run.message;
	const own = written.map((part) => (isText(part) ? ownText(String(part.text)) : undefined));
	const parts = written.map((part, index) => ({ ...part, ...(own[index] && { text: own[index].text }) }));
	const endsInCall = own.findLast(Boolean)?.endsInCall ?? false;
	const leftOut = own.flatMap((text) => text?.leftOut ?? []);
	const more = leftOut.length > 0 && { warnings: [...read.run.warnings, ...leftOut] };
	const withParts = (parts: Part[]): Run => ({ ...read.run, ...more, message: { ...read.run.message, parts } });
	const run = withParts(parts);
	if (rows) {
		const found = readRows(textsOf(parts), rows, excerpt);
		return { ...read, rows: found, run: reported(run, found.notDone ?? {}, endsInCall, excerpt) };
	}
	if (!checksDone) return { ...read, run: reported(run, {}, endsInCall, excerpt) };
	if (run.status !== 'completed') return { ...read, run };
	// The report is read in all texts of the last step, and left out of the last one.
	const last = parts.findLast(isText);
	const { text } = notDoneInText(String(last?.text ?? ''));
	const cut = withParts(parts.map((part) => (part === last ? { ...part, text } : part)));
	return { ...read, run: reported(cut, notDoneInText(textsOf(parts).at(-1) ?? ''), endsInCall, excerpt) };
}

/** The agent may repeat the tokens of its file links. */
export const withoutFileTokens = ({ run, chunks, ...read }: ReceivedRun): ReceivedRun => ({
	...read,
	run: changeTexts(run, withoutTokens),
	chunks: chunksWithoutTokens(chunks),
});
