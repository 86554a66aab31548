import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { asMade, isNodeError, type NodeError } from '../errors/node-error';
import { forReader } from '../errors/reader';
import { startMemory, startOnce } from '../starts/memory';
import { countHint, showHints } from './output/hints';
import { addBatch, errorItem, type StartedRun } from './output/run-error';
import { readNodeSettings, readRunRequest, type RunRequest } from './parameters/run-request';
import { runItem, type Outcome } from './run-item';
import { stopSignalOf } from '../execution/watchdog';

/** Whether n8n's *Retry On Fail* may start a run for an item again. */
const mayRestart =
	({ restartFailed }: RunRequest) =>
	({ error, runs }: Outcome): boolean =>
		runs.length ? restartFailed && runs.every(({ status }) => RESTARTABLE.includes(status)) : error !== undefined;

const RESTARTABLE = ['failed', 'aborted'];

const isCompleted = ({ status }: StartedRun) => status === 'completed' || status === 'started';

/** Reads the form. An input error is thrown at once if the node stops on an error, and returned otherwise. */
function readForm<T>(context: IExecuteFunctions, itemIndex: number, read: () => T): T | NodeError {
	try {
		return read();
	} catch (caught) {
		const description = 'Nothing was sent to the service. Correct the fields of this node';
		const error = isNodeError(caught)
			? caught
			: new NodeOperationError(context.getNode(), caught as Error, { itemIndex, description });
		if (context.continueOnFail()) return error;
		throw forReader(context, error);
	}
}

/**
 * Starts one run per item, each once, at most as many at a time as the form says. Items keep their order. If the node
 * stops on an error, no run starts after one that failed, and those that are running are read to their end: they are
 * paid for, and their threads must not be lost.
 *
 * @throws NodeApiError or NodeOperationError with everything that is known of the runs that were started
 */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const inputs = context.getInputData();
	const requests = inputs.map((_input, item) => readForm(context, item, () => readRunRequest(context, item)));
	const settings = inputs.length ? readForm(context, 0, () => readNodeSettings(context)) : { parallelRuns: 0 };
	if (isNodeError(settings)) {
		const error = forReader(context, settings);
		return inputs.map((_input, item) => errorItem(context, error, item));
	}
	const stop = stopSignalOf(context);
	const outcomes: Outcome[] = [];
	let firstError: NodeError | undefined;
	const startedRuns = () => outcomes.flatMap(({ runs }) => runs);
	let next = 0;

	const work = async () => {
		while (next < requests.length && !stop?.aborted && !firstError) {
			const itemIndex = next++;
			const request = requests[itemIndex];
			const outcome: Outcome = isNodeError(request)
				? { error: request, runs: [] }
				: await startOnce(
						startMemory<Outcome>(context, itemIndex, inputs[itemIndex].json),
						async () => await runItem(context, request),
						mayRestart(request),
					);
			outcomes[itemIndex] = outcome;
			if (outcome.error && !context.continueOnFail()) firstError ??= outcome.error;
		}
	};
	await Promise.all(Array.from({ length: Math.min(settings.parallelRuns, requests.length) }, work));

	if (firstError) {
		// The next try of n8n gets the same error again.
		const error = asMade(firstError);
		const succeeded = outcomes.flatMap((outcome) => (outcome.error ? [] : outcome.runs)).filter(isCompleted).length;
		if (requests.length > 1) addBatch(error, startedRuns(), succeeded, requests.length - next);
		throw forReader(context, error);
	}
	showHints(context, [
		...countHint(startedRuns().length),
		...outcomes.flatMap((outcome) => (outcome.error ? [] : outcome.hints)),
	]);
	return outcomes.flatMap((outcome, itemIndex) =>
		outcome.error
			? errorItem(context, forReader(context, asMade(outcome.error)), itemIndex, outcome.binary)
			: outcome.items,
	);
}
