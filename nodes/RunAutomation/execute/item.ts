// One item of Run Automation, from its start to its outcome.

import { FailureError, type Failure, type KnownRun } from '../../shared/failure/failure';
import { filesPathOfError } from '../../shared/failure/node-error';
import type { FailedOutcome, Outcome } from '../../shared/items/outcome';
import { withoutTokens } from '../../shared/mask/file-tokens';
import { defectAfter } from '../../shared/start/start-response';
import { isDataUrl, withoutFileContents } from '../../shared/values/data-url';
import { changeTexts } from '../../shared/values/nested';
import { boundText } from '../../shared/values/text';
import { copyFiles } from '../form/agent-files';
import { reasonWithStatus, incompleteFailure, rowsFailure } from '../output/failure';
import { attachFiles } from '../output/files';
import { backgroundHints, runHints } from '../output/hints';
import { completeOutput, itemsOf } from '../output/items';
import { LiveOutput } from '../output/live';
import { RunReader } from '../run/read-run';
import type { Run } from '../run/run';
import { startRun, type ItemContext } from './start';

/** Never rejects: a failure is an outcome. Returns nothing if the node was ending, and nothing was started. */
export async function runItem(given: Omit<ItemContext, 'live'>): Promise<Outcome | undefined> {
	const { execution, ledger, request } = given;
	const live = new LiveOutput(given, request);
	const outcome = await outcomeOf({ ...given, live });
	// If the node stops, n8n itself shows the error, so the live output only breaks off. A tool does not stop after a start that
	// may be billed, so its failure is shown here.
	const isReturned = execution.continues || (execution.isTool && ledger.effect !== 'none');
	if (!outcome || (outcome.failure && !isReturned)) live.breakOff();
	else live.end(outcome.failure ? outcome.failure.reason : outcome.reason, ledger.start?.status);
	return outcome;
}

async function outcomeOf(item: ItemContext): Promise<Outcome | undefined> {
	const { context, execution, request, ledger, live } = item;
	const { secrets } = request;
	let run: Run | undefined;
	let deadline = 0;
	try {
		const files = await copyFiles(context.helpers, request.files);
		const accepted = await startRun(item, files);
		if (!accepted) return undefined;
		if (accepted.started) {
			const json = changeTexts(accepted.started, withoutTokens);
			return { items: [{ json }], hints: backgroundHints(accepted.started, execution, secrets) };
		}

		// A billed run is read to its end (contract 6).
		const { stream, threadId, watchdog, release } = accepted;
		deadline = accepted.deadline;
		const knowsLinks = files.length > 0 || request.body.thread_id !== undefined;
		const reader = new RunReader({ ...request, threadId, knowsLinks }, secrets);
		try {
			for await (const chunks of reader.read(stream, watchdog)) live.showChunks(chunks);
			run = reader.finish();
			// Status 'interrupted' makes every later error say that this run may still be in progress.
			ledger.setStatus(run.mayBeRunning ? 'interrupted' : run.status);
		} finally {
			release();
		}

		// A run that was cut off is a draft: what it had not sent yet may change its result, so it is returned only if the form
		// asks for partial results. AI agents do not always see errors, so they get the reason as a result.
		const isForAgent = run.status === 'not_done' && execution.isTool;
		const isReturned = run.status === 'completed' || request.returnsPartial || isForAgent;
		const invalid = request.rows && !isForAgent ? rowsFailure(run, request.rows) : undefined;
		const failure = isReturned ? invalid : incompleteFailure(run);
		if (failure) return await failedOutcome(item, failure, run, deadline);
		const { items, missingFiles } = await itemsOf(item, run, deadline);
		return {
			items,
			hints: runHints(run, request, missingFiles, execution),
			reason: run.reason && reasonWithStatus(run),
		};
	} catch (error) {
		const defect = defectAfter(ledger.start, error as Error);
		// An unexpected error keeps the result so far.
		const kept = run && { effect: 'run' as const, run: completeOutput(run) };
		const failure = error instanceof FailureError ? error.failure : { ...defect, ...kept };
		return await failedOutcome(item, failure, run, deadline);
	}
}

/** Adds the run's files, or says that no item can contain them. Never rejects. */
async function failedOutcome(
	item: ItemContext,
	failure: Failure,
	run: Run | undefined,
	deadline: number,
): Promise<FailedOutcome> {
	const { execution, request } = item;
	const { continues, isTool, node } = execution;
	const { mask } = request.secrets;
	const { advice } = failure;
	let { run: known } = failure;
	let binary: FailedOutcome['binary'];
	if (run && run.files.length > 0 && continues && !isTool) {
		try {
			const attached = await attachFiles(item, run.files, deadline, filesPathOfError(node));
			const warnings = [...(known!.warnings ?? []), ...attached.warnings];
			known = { ...known!, files: attached.files, warnings } as KnownRun;
			({ binary } = attached);
		} catch {
			// Why the run failed counts more than its files.
		}
	} else if (known && !isTool && run?.files.some(({ url }) => isDataUrl(url))) {
		// Only files in the stream are lost. Links remain.
		known = { ...known, warnings: [...(known.warnings ?? []), 'Files of this run were not kept'] };
	}
	// Later attempts may have another credential, so the failure is masked now.
	const maskedRun = known && changeTexts(withoutFileContents(known), mask);
	return {
		failure: { ...failure, reason: mask(boundText(failure.reason)), advice: mask(advice), run: maskedRun },
		binary,
	};
}
