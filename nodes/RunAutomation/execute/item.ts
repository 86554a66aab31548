// One item of Run Automation: its run, and its outcome.

import { withoutFileContents } from '../../shared/values/data-url';
import { urlsIn } from '../../shared/http/credential';
import { filesPathOfError } from '../../shared/failure/node-error';
import { FailureError, type Failure } from '../../shared/failure/failure';
import { withoutTokens } from '../../shared/mask/file-tokens';
import { copyFiles, type AgentFile } from '../form/task/agent-files';
import type { Ledger } from '../../shared/start/ledger';
import { changeTexts } from '../../shared/values/nested';
import { maskOf, maskWords } from '../../shared/mask/secrets';
import { shorten, words, type Excerpt } from '../../shared/values/text';
import type { RunRequest } from '../form/run-request';
import type { Reply } from '../reply/reply';
import { endReason, incompleteFailure, rowsFailure, withLostFiles } from '../result/run-failure';
import { attachFiles } from '../output/files';
import { backgroundHints, formHints, runHints } from '../output/hints';
import { resultItems, rowItems } from '../output/items';
import { LiveOutput } from '../output/live';
import type { FailedOutcome, Outcome, Success } from '../../shared/items/outcome';
import { resultOf, type RunResult } from '../result/result';
import type { Destination } from './send';
import { failureOf, startInBackground, startRun } from './start';
import type { Batch, ItemContext } from './context';

/** Never rejects: a failure is an outcome. Returns nothing if the node was ending, and nothing was started. */
export async function runItem(
	batch: Batch,
	request: RunRequest,
	destination: Destination,
	files: AgentFile[],
	ledger: Ledger<unknown>,
): Promise<Outcome | undefined> {
	const mask = maskOf(destination.secrets);
	const maskSeen = maskWords(mask);
	const live = new LiveOutput(batch.context, request, maskSeen).begin();
	const excerpt: Excerpt = (text, limit) => shorten(maskSeen(text), limit);
	const item: ItemContext = { batch, request, destination, files, ledger, live, mask, excerpt, deadline: Infinity };
	const outcome = await outcomeOf(item);
	const failure = outcome?.failure;
	const { continues, isTool } = batch.execution;
	// n8n shows a stopping node's error. A tool returns a failure that may be billed.
	const isThrown = failure && !continues && !(isTool && ledger.effect !== 'none');
	if (!outcome || isThrown) live.breakOff();
	else if (outcome.failure) live.end(reasonToShow(request, outcome.failure.reason, outcome.failure.run));
	else live.end(outcome.reason);
	return outcome;
}

async function outcomeOf(item: ItemContext): Promise<Outcome | undefined> {
	try {
		item.files = await copyFiles(item.batch.context.helpers, item.files);
		const success = await (item.request.operation === 'background' ? runInBackground(item) : runInForeground(item));
		return success && { ...success, hints: [...formHints(item.request.notes), ...success.hints] };
	} catch (error) {
		const failure = failureOf(item, error as Error);
		const failed = await withFiles(item, failure).catch(() => ({ failure }));
		return { ...failed, failure: withoutSecrets(failed.failure, item.mask) };
	}
}

/** Later attempts may have another credential, so the failure is masked now. */
const withoutSecrets = (failure: Failure, mask: (text: string) => string): Failure => ({
	...failure,
	reason: mask(words(failure.reason)),
	advice: mask(failure.advice),
	run: failure.run && changeTexts(withoutFileContents(failure.run), mask),
});

/** The text of the live output may have shown this reason already. */
const reasonToShow = ({ operation, liveKinds }: RunRequest, reason: string | undefined, run?: { status?: string }) =>
	operation === 'result' && run?.status === 'not_done' && liveKinds.includes('text') ? undefined : reason;

async function runInBackground(item: ItemContext): Promise<Success | undefined> {
	const started = await startInBackground(item);
	if (!started) return undefined;
	const json = changeTexts(started, withoutTokens);
	return { items: [{ json }], hints: backgroundHints(started, item.batch.execution, item.mask) };
}

async function runInForeground(item: ItemContext): Promise<Success | undefined> {
	const reply = await startRun(item);
	return reply && (await conclude(item, reply));
}

/** @throws FailureError if the result must not be returned */
async function conclude(item: ItemContext, latest: Reply): Promise<Success> {
	const { request } = item;
	const result = resultOf(latest);
	item.result = result;
	// AI agents do not always see errors, so they get the reason as a result.
	const isForAgent = result.status === 'not_done' && item.batch.execution.isTool;
	const isReturned = result.status === 'completed' || request.returnsPartial;
	if (!isReturned && !isForAgent) throw new FailureError(incompleteFailure(result, latest));
	const { rows: format } = request;
	const { rows: read } = latest;
	const invalid = format && read && !isForAgent && rowsFailure(read, result, format);
	if (invalid) throw new FailureError(invalid);
	const { items, warnings } = await (read
		? rowItems(item, read, result, latest.run.warnings)
		: resultItems(item, latest, result));
	const hints = runHints(latest, request, warnings, item.batch.execution);
	return {
		items,
		hints,
		reason: reasonToShow(request, result.reason && endReason(result), result),
	};
}

/** The advice says so if no item can contain the run's files. */
async function withFiles(item: ItemContext, failure: Failure): Promise<FailedOutcome> {
	const { batch, destination, request } = item;
	const known = failure.run as RunResult | undefined;
	if (!known?.files?.length) return { failure };
	const { continues, isTool, node } = batch.execution;
	const wantsFiles = request.operation === 'result' && request.includeFiles && !isTool;
	if (!continues || isTool) return { failure: wantsFiles ? withLostFiles(failure, known) : failure };
	const filesFor = { ...request, credentialUrls: urlsIn(destination.credentials), path: filesPathOfError(node) };
	const { result: run, binary } = await attachFiles(batch, known, filesFor, item.deadline);
	return { failure: { ...failure, run }, binary };
}
