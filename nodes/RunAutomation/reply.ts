import { changeTexts, type Excerpt } from '../values';
import { chunksWithoutTokens, withoutTokens } from '../errors/file-tokens';
import { followedBy, resultOf, textsOf, type ReportedRun, type RunResult } from './output/result';
import type { RunRequest } from './parameters/run-request';
import { readNotDone, type NotDone } from './rows/not-done';
import { readRows, type ReadRows } from './rows/read-rows';
import type { ReadRun } from './transport/read-stream';

// The combined replies of an item's runs in one thread. Pure functions.

/** A run with its parsed reply. */
export interface Reply extends ReadRun {
	run: ReportedRun;
	/** For the operation `rows` only. */
	rows?: ReadRows;
}

/** Characters of the reason why a task is not done. */
const MAX_NOT_DONE_REASON = 2000;

/** Parses the agent's text. A completed run whose agent reports that it could not do its task is not done. */
export function readReply(read: ReadRun, { checksDone, rows }: RunRequest, excerpt: Excerpt): Reply {
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

/** Accumulated results of an item's runs in one thread. */
export interface Replies {
	latest: Reply;
	/** Of the latest run. */
	latestResult: RunResult;
	/** Of all runs, including their text. */
	result: RunResult;
}

/** Adds the reply of a run to those before it. */
export function addReply(latest: Reply, before?: RunResult): Replies {
	const { threadId, run, rows } = latest;
	const ofRun = resultOf(threadId, run);
	const latestResult = rows ? { ...ofRun, text: textsOf(run.message.parts).join('\n\n') } : ofRun;
	return {
		latest,
		latestResult,
		result: before ? followedBy(before, latestResult) : latestResult,
	};
}

/** The result to return: of a completed run, only its own text. Earlier texts have invalid rows. */
export const resultToReturn = ({ latestResult, result }: Replies): RunResult =>
	latestResult.status === 'completed' ? { ...result, text: latestResult.text } : result;
