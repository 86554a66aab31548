// Reads an agent's text: its rows, or why its task is not done.

import { changeTexts } from '../../shared/values/nested';
import type { Excerpt } from '../../shared/values/text';
import { chunksWithoutTokens, withoutTokens } from '../../shared/mask/file-tokens';
import type { Part } from '../run/message/chunk';
import { textsOf } from '../run/message/message';
import type { Run } from '../run/run-reader';
import { notDoneInText, type BlockedBy, type NotDone } from './not-done';
import { ownText } from './own-text';
import { readRows, type RowsInReply } from './read-rows';
import type { RowsFormat } from '../columns/schema';
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

/** Only a completed run can become `not_done`. */
function reported(run: Run, { reason, blockedBy }: Partial<NotDone>, excerpt: Excerpt): ReportedRun {
	if (run.status !== 'completed' || reason === undefined) return run;
	return { ...run, status: 'not_done', reason: excerpt(reason, MAX_NOT_DONE_REASON), blockedBy };
}

const isText = ({ type, text }: Part): boolean => type === 'text' && String(text).trim() !== '';

export function readReply(read: ReceivedRun, { operation, checksDone, rows }: RequestedReply, excerpt: Excerpt): Reply {
	if (operation === 'raw') return read;
	const { message, warnings } = read.run;
	const own = message.parts.map((part) => (isText(part) ? ownText(String(part.text)) : undefined));
	const parts = message.parts.map((part, index) => ({ ...part, ...(own[index] && { text: own[index].text }) }));
	const leftOut = own.flatMap((text) => text?.leftOut ?? []);
	const withParts = (changed: Part[]): Run => ({
		...read.run,
		warnings: [...warnings, ...leftOut],
		message: { ...message, parts: changed },
	});
	const run = withParts(parts);
	if (rows) {
		const found = readRows(textsOf(parts), rows, excerpt);
		return { ...read, rows: found, run: reported(run, found.notDone ?? {}, excerpt) };
	}
	if (!checksDone || run.status !== 'completed') return { ...read, run };
	const last = parts.findLast(isText);
	const { text, ...notDone } = notDoneInText(String(last?.text ?? ''));
	const cut = withParts(parts.map((part) => (part === last ? { ...part, text } : part)));
	return { ...read, run: reported(cut, notDone, excerpt) };
}

/** The agent may repeat the tokens of its file links. */
export const withoutFileTokens = ({ run, chunks, ...read }: ReceivedRun): ReceivedRun => ({
	...read,
	run: changeTexts(run, withoutTokens),
	chunks: chunksWithoutTokens(chunks),
});
