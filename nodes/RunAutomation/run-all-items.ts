import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Failed, unreadable, type Failure } from '../errors/failure';
import { errorItem, nodeError } from '../errors/node-error';
import { isStoredOnError, isUsedAsTool, timeLeft } from '../execution/execution-context';
import { maskOf } from '../errors/secrets';
import { copyFiles, questionAbout, readAgentFiles, type AgentFile } from '../files/input-files';
import { stopSignalOf } from '../execution/watchdog';
import { busyService, startMemory } from '../starts/start-memory';
import { keptOutcomes, type Kept, type KeptOutcomes } from './kept-outcomes';
import { withIncludedFields } from './output/rows';
import { batchFailure, withRuns, type RetryScope } from './output/run-failures';
import { countHint, showHints } from './output/hints';
import { LiveOutput } from './output/live';
import { traceRuns } from './output/record-runs';
import type { Outcome, StartedRun } from './output/outcome';
import { questionOf } from './parameters/question';
import { readNodeSettings, readRunRequest, type RunRequest } from './parameters/run-request';
import { readDestination, type Destination } from './transport/send-start';
import { runItem } from './run-item';

/** What was read of the form and the credential, or why nothing can be sent. */
type Attempt<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

async function attempt<T>(read: () => T | Promise<T>): Promise<Attempt<T>> {
	try {
		return { value: await read() };
	} catch (error) {
		if (error instanceof Failed) return { failure: error.failure };
		const advice = 'Nothing was sent to the service. Correct the fields of this node';
		return { failure: unreadable(error as Error, [advice, advice]).failure };
	}
}

/** What one item asks for. */
type Request = Attempt<{ request: RunRequest; to: Destination; files: AgentFile[] }>;

const RESTARTABLE = ['failed', 'aborted'];

/** Whether an outcome of this or an earlier try decides the item: no further try may start a run for it. */
function isFinal({ failure, runs, runsBefore }: Outcome, request: RunRequest | undefined): boolean {
	const own = runs.slice(runsBefore);
	return (
		own.length > 0 && !(failure && request?.restartFailed && own.every(({ status }) => RESTARTABLE.includes(status)))
	);
}

/**
 * Starts one run per item, each once, at most as many at a time as the form says. Items keep their order. What earlier
 * tries of *Retry On Fail* left, and what an execution left that is retried, is settled for all items before anything starts. If
 * the node stops on an error, no run starts after one that failed, and those that are going on are read to their end: they
 * are paid for, and their threads must not be lost.
 *
 * @throws NodeApiError or NodeOperationError that names every run of the node, whichever try started it
 */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const inputs = context.getInputData();
	if (inputs.length === 0) return [];
	const stops = !context.continueOnFail();
	const stop = stopSignalOf(context);
	// n8n tries once more after a stop, and again after an error.
	if (stop?.aborted) return [];
	const endsAt = performance.now() + timeLeft(context);

	const requests: Request[] = [];
	const read = readRunRequest(context);
	for (const item of inputs.keys()) {
		requests.push(
			await attempt(async () => {
				const request = read(item);
				const to = await readDestination(context, item);
				const { files, hints } = await readAgentFiles(context, item, request.agentFiles, to.automationUrl);
				return { request: { ...request, hints: [...request.hints, ...hints] }, to, files };
			}),
		);
	}
	const settings = await attempt(() => readNodeSettings(context));
	const ofAll = settings.failure && { ...settings.failure, isAboutAll: true };

	const node = context.getNode();
	const questions = requests.map(
		({ value }) => value && questionOf(node, value.to.automationUrl, value.files.map(questionAbout)),
	);
	const store = keptOutcomes(context, questions);
	const memories = inputs.map(({ json }, item) => startMemory<Outcome>(context, item, json));
	const earlier: Array<Outcome | undefined> = [];
	const kept: Kept[] = [];
	const outcomes: Array<Outcome | undefined> = [];
	const refuse = (item: number, failure: Failure): Outcome => {
		// A chat shows why nothing is sent, as it shows how a run ends.
		if (!stops) {
			const mask = maskOf(requests[item].value?.to.secrets ?? []);
			new LiveOutput(context, { itemIndex: item, live: [], operation: 'result' }, mask).end(failure.reason);
		}
		const { runs, runsBefore } = earlier[item] ?? kept[item];
		return { failure, runs, runsBefore };
	};
	for (const [item, { value, failure }] of requests.entries()) {
		earlier[item] = await memories[item].recall();
		kept[item] = (await store?.recall(item)) ?? { runs: [], runsBefore: 0 };
		const settled = earlier[item] && isFinal(earlier[item], value?.request) ? earlier[item] : kept[item].outcome;
		const refusal = settled ? undefined : (ofAll ?? failure);
		outcomes[item] = settled ?? (refusal && refuse(item, refusal));
	}

	const waiting = [...requests.keys()].filter((item) => !outcomes[item]);
	let isDecided = stops && outcomes.some((outcome) => outcome?.failure);
	const hasEnded = () => isDecided || stop?.aborted === true;
	// An agent gets the refusal of a busy service at once: its client may not wait as long.
	const patience = isUsedAsTool(context) ? 0 : (settings.value?.waitIfBusy ?? 0);
	const batch = { busy: busyService(context, Math.min(patience, endsAt - performance.now())), endsAt, hasEnded };
	const work = async () => {
		for (;;) {
			await batch.busy.wait(stop);
			const item = hasEnded() ? undefined : waiting.shift();
			if (item === undefined) return;
			const { request, to, files } = requests[item].value!;
			const copied = await attempt(() => copyFiles(context, files));
			// Copying takes a while: what was not started until then stays so.
			if (hasEnded()) return;
			if (copied.failure) outcomes[item] = refuse(item, copied.failure);
			else {
				const started = runItem(context, request, to, batch, copied.value, earlier[item] ?? kept[item]);
				memories[item].remember(started);
				outcomes[item] = await started;
			}
			isDecided ||= stops && outcomes[item].failure !== undefined;
		}
	};
	await Promise.all(Array.from({ length: Math.min(settings.value?.parallelRuns ?? 0, waiting.length) }, work));
	// An item that got no further start keeps what an earlier try left.
	const known = requests.map((_, item) => outcomes[item] ?? earlier[item]);
	const runs = requests.flatMap((_, item) => (known[item] ?? kept[item]).runs);
	return end(context, known, runs, requests, store);
}

/** The items of all outcomes; or one error that names every run, if the node stops on an error. */
function end(
	context: IExecuteFunctions,
	outcomes: Array<Outcome | undefined>,
	allRuns: StartedRun[],
	requests: Request[],
	store: KeptOutcomes | undefined,
): INodeExecutionData[] {
	const secretsOf = (item: number) => requests[item].value?.to.secrets ?? [];
	const runs = outcomes.flatMap((outcome) => (outcome && !outcome.isKept ? outcome.runs : []));
	const secrets = [...new Set(requests.flatMap((_, item) => secretsOf(item)))];
	traceRuns(context, runs, maskOf(secrets));
	const failed = [...outcomes.keys()].filter((item) => outcomes[item]?.failure);
	if (failed.length && !context.continueOnFail()) {
		store?.keep(outcomes);
		const decided = failed.find((item) => isFinal(outcomes[item]!, requests[item].value?.request)) ?? failed[0];
		const { failure } = outcomes[decided] as { failure: Failure };
		throw nodeError(context, batchFailure(failure, outcomes, allRuns, retryOf(context, store)), decided, secrets);
	}
	store?.clear();
	const hints = outcomes.flatMap((outcome) => (outcome && !outcome.failure ? outcome.hints : []));
	showHints(context, [...countHint(runs.length), ...hints]);
	return outcomes.flatMap((outcome, item) => {
		if (!outcome) return [];
		if (!outcome.failure) return withIncludedFields(context, outcome.items, item, requests[item].value?.request.rows);
		const error = nodeError(context, withRuns(outcome.failure, outcome.runs), item, secretsOf(item));
		return errorItem(context, error, item, { binary: outcome.binary, startsRun: true });
	});
}

/** What *Retry* in the list of executions would start; undefined if there is none. */
function retryOf(context: IExecuteFunctions, store: KeptOutcomes | undefined): RetryScope | undefined {
	const hasRetry = !isUsedAsTool(context) && context.getExecutionId() !== undefined && isStoredOnError(context);
	return hasRetry ? (store ? 'failed' : 'all') : undefined;
}
