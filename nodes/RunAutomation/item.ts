import { FailureError, type Failure } from '../shared/failure';
import { withoutTokens } from '../shared/file-tokens';
import { withoutFileContents } from '../shared/data-url';
import { filesPathOfError } from '../shared/error';
import { maskOf } from '../shared/secrets';
import type { Sent } from '../shared/busy';
import type { AgentFile } from '../shared/input-files';
import type { Attempted, Ledger } from '../shared/ledger';
import { changeTexts } from '../shared/nested';
import { shorten, type Excerpt } from '../shared/text';
import { Conversation, correctionAfter, type Plan } from './conversation';
import { attachFiles } from './output/files';
import { backgroundHints, formHints, runHints } from './output/hints';
import { resultItems, rowItems } from './output/items';
import { LiveOutput } from './output/live';
import { correctionFailure, incompleteFailure, rowsFailure, withLostFiles, type Outcome } from './output/advice';
import type { RunResult } from './output/result';
import type { RunRequest } from './form/run-request';
import type { Reply } from './reply/reply';
import { failureOf, startInBackground, startRun, type Batch, type ItemContext } from './start';
import type { Destination } from './send';

/** Processes one item. Never rejects: failures are part of the outcome. */
export async function runItem(
	batch: Batch,
	request: RunRequest,
	to: Destination,
	files: AgentFile[],
	ledger: Ledger<unknown>,
): Promise<Attempted<Outcome>> {
	const { context, execution } = batch;
	const mask = maskOf(to.secrets);
	const live = new LiveOutput(context, request, mask);
	const excerpt: Excerpt = (text, limit) => shorten(mask(text), limit);
	const conversation = new Conversation();
	const item: ItemContext = { batch, request, to, files, ledger, live, mask, excerpt, conversation };
	const attempted = await runToOutcome(item);
	const { failure, reason } = attempted.is === 'done' ? { reason: undefined, ...attempted.outcome } : {};
	if (attempted.is === 'unsent' || (failure && !execution.continues)) live.breakOff();
	else if (failure) live.end(reasonToShow(request, failure.reason, failure.run));
	else live.end(reason);
	return attempted;
}

async function runToOutcome(item: ItemContext): Promise<Attempted<Outcome>> {
	try {
		const sent = await (item.request.operation === 'background' ? runInBackground(item) : runInForeground(item));
		if (sent.is === 'unsent') return sent;
		const { value } = sent;
		return { is: 'done', outcome: { ...value, hints: [...formHints(item.request.hints), ...value.hints] } };
	} catch (error) {
		const failure = failureOf(item, error as Error);
		const failed = await failedOutcome(item, failure).catch(() => ({ failure, binary: undefined }));
		return { is: 'done', outcome: { ...failed, failure: toKeep(failed.failure, item.mask) } };
	}
}

/** A failure for later attempts, which may have another credential: without secrets, and without the contents of files. */
const toKeep = (failure: Failure, mask: (text: string) => string): Failure => ({
	...failure,
	reason: mask(failure.reason),
	advice: mask(failure.advice),
	run: failure.run && changeTexts(withoutFileContents(failure.run), mask),
});

/** The reason why a run has no result, for its viewers, unless its text has just shown it. */
const reasonToShow = ({ operation, liveKinds }: RunRequest, reason: string | undefined, run?: { status?: string }) =>
	operation === 'result' && run?.status === 'not_done' && liveKinds.includes('text') ? undefined : reason;

type Success = Exclude<Outcome, { failure: Failure }>;

async function runInBackground(item: ItemContext): Promise<Sent<Success>> {
	const sent = await startInBackground(item);
	if (sent.is === 'unsent') return sent;
	const json = changeTexts(sent.value, withoutTokens);
	const items = [{ json, pairedItem: { item: item.request.itemIndex } }];
	return { is: 'read', value: { items, hints: backgroundHints(sent.value, item) } };
}

/** Starts a run, reads it, and starts corrections in its thread if the form allows it. Returns their combined output. */
async function runInForeground(item: ItemContext): Promise<Sent<Success>> {
	const { batch, request, conversation, live } = item;
	const first: Plan = { kind: 'first' };
	const sent = await startRun(item, first);
	if (sent.is === 'unsent') return sent;
	conversation.add(first, sent.value);
	// Without time for a correction, the rows are what the item fails by.
	while (!batch.mayNotStart() && batch.execution.endsAt > performance.now()) {
		const correction = correctionAfter(conversation.latest!, request, conversation.corrections);
		if (!correction) break;
		live.nextRun();
		const corrected = await startRun(item, correction).catch((error: Error) => {
			throw new FailureError(correctionFailure(failureOf(item, error), conversation.result!));
		});
		if (corrected.is === 'unsent') break;
		conversation.add(correction, corrected.value);
	}
	return { is: 'read', value: await conclude(item, conversation.latest!) };
}

/** Makes the output from the conversation of an item. Throws FailureError if they must not be returned. */
async function conclude(item: ItemContext, latest: Reply): Promise<Success> {
	const { request, conversation } = item;
	const missing = latest.run.warnings;
	const result = conversation.returned;
	// An AI agent does not always see an error: it gets the reason why a task is not done as a result.
	const isReported = result.status === 'not_done' && item.batch.execution.isTool;
	const isReturned = result.status === 'completed' || request.returnsPartial;
	if (!isReturned && !isReported) throw new FailureError(incompleteFailure(result, latest));
	const { rows } = request;
	const { rows: read } = latest;
	const invalid = rows && read && !isReported && rowsFailure(read, conversation.result!, rows);
	if (invalid) throw new FailureError(invalid);
	const { items, warnings } = await (read
		? rowItems(item, read, result, missing)
		: resultItems(item, latest, result, missing));
	const hints = runHints(latest, request, warnings, conversation.corrections);
	return { items, hints, reason: reasonToShow(request, result.reason, result) };
}

/** A failure with the files of the run as binary data. If no item can contain them, the advice says that they were not kept. */
async function failedOutcome(item: ItemContext, failure: Failure): Promise<Extract<Outcome, { failure: Failure }>> {
	const { batch, request } = item;
	const known = failure.run as RunResult | undefined;
	if (!known?.files?.length) return { failure };
	const { continues, isTool, node } = batch.execution;
	const wantsFiles = request.operation === 'result' && request.includeFiles && !isTool;
	if (!continues || isTool) return { failure: wantsFiles ? withLostFiles(failure, known) : failure };
	const filesFor = { ...request, path: filesPathOfError(node) };
	const { files, binary, warnings } = await attachFiles(batch, known.files, filesFor, item.conversation.deadline);
	const complete = { ...known, files, warnings: [...known.warnings, ...warnings] };
	return { failure: { ...failure, run: complete }, binary };
}
