import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Failed, unreadable, type Failure } from '../errors/failure';
import { errorItem, nodeError } from '../errors/node-error';
import { stopSignalOf } from '../execution/watchdog';
import { startMemory } from '../starts/start-memory';
import { batchFailure, withRuns } from './output/run-failures';
import { countHint, showHints } from './output/hints';
import { LiveOutput } from './output/live';
import { traceRuns } from './output/record-runs';
import type { Outcome } from './output/outcome';
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
type Request = Attempt<{ request: RunRequest; to: Destination }>;

const RESTARTABLE = ['failed', 'aborted'];

/** Whether an outcome of this or an earlier try decides the item: no further try may start a run for it. */
const isFinal = ({ runs }: Outcome, request: RunRequest | undefined): boolean =>
	runs.length > 0 && !(request?.restartFailed && runs.every(({ status }) => RESTARTABLE.includes(status)));

/**
 * Starts one run per item, each once, at most as many at a time as the form says. Items keep their order. What earlier
 * tries of *Retry On Fail* left is settled for all items before anything starts. If the node stops on an error, no run
 * starts after one that failed, and those that are going on are read to their end: they are paid for, and their threads
 * must not be lost.
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

	const requests: Request[] = [];
	const read = readRunRequest(context);
	for (const item of inputs.keys()) {
		requests.push(await attempt(async () => ({ request: read(item), to: await readDestination(context, item) })));
	}
	const settings = await attempt(() => readNodeSettings(context));

	const memories = inputs.map(({ json }, item) => startMemory<Outcome>(context, item, json));
	const earlier = await Promise.all(memories.map(async ({ recall }) => await recall()));
	const outcomes = requests.map(({ value, failure }, item): Outcome | undefined => {
		const outcome = earlier[item];
		if (outcome && isFinal(outcome, value?.request)) return outcome;
		const refusal = settings.failure ?? failure;
		if (!refusal) return undefined;
		// A chat shows why nothing is sent, as it shows how a run ends.
		if (!stops) new LiveOutput(context, { itemIndex: item, live: [], operation: 'result' }, []).end(refusal.reason);
		return { failure: refusal, runs: outcome?.runs ?? [] };
	});

	const waiting = [...requests.keys()].filter((item) => !outcomes[item]);
	let isDecided = stops && outcomes.some((outcome) => outcome?.failure);
	const work = async () => {
		while (waiting.length && !isDecided && !stop?.aborted) {
			const item = waiting.shift()!;
			const { request, to } = requests[item].value!;
			const started = runItem(context, request, to, earlier[item]?.runs);
			memories[item].remember(started);
			const outcome = await started;
			outcomes[item] = outcome;
			isDecided ||= stops && outcome.failure !== undefined;
		}
	};
	await Promise.all(Array.from({ length: Math.min(settings.value?.parallelRuns ?? 0, waiting.length) }, work));
	// An item that got no further start keeps what an earlier try left.
	const known = requests.map((_, item) => outcomes[item] ?? earlier[item]);
	return end(context, known, requests);
}

/** The items of all outcomes; or one error that names every run, if the node stops on an error. */
function end(
	context: IExecuteFunctions,
	outcomes: Array<Outcome | undefined>,
	requests: Request[],
): INodeExecutionData[] {
	const secretsOf = (item: number) => requests[item].value?.to.secrets ?? [];
	const runs = outcomes.flatMap((outcome) => outcome?.runs ?? []);
	traceRuns(context, runs);
	const failed = [...outcomes.keys()].filter((item) => outcomes[item]?.failure);
	if (failed.length && !context.continueOnFail()) {
		const decided = failed.find((item) => isFinal(outcomes[item]!, requests[item].value?.request)) ?? failed[0];
		const { failure } = outcomes[decided] as { failure: Failure };
		const secrets = requests.flatMap((_, item) => secretsOf(item));
		throw nodeError(context, batchFailure(failure, outcomes), decided, secrets);
	}
	const hints = outcomes.flatMap((outcome) => (outcome && !outcome.failure ? outcome.hints : []));
	showHints(context, [...countHint(runs.length), ...hints]);
	return outcomes.flatMap((outcome, item) => {
		if (!outcome) return [];
		if (!outcome.failure) return outcome.items;
		const error = nodeError(context, withRuns(outcome.failure, outcome.runs), item, secretsOf(item));
		return errorItem(context, error, item, { binary: outcome.binary, startsRun: true });
	});
}
