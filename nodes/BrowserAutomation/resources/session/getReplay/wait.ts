import {
	NodeOperationError,
	sleep,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
	type NodeApiError,
} from 'n8n-workflow';

import { inputError, withAdvice } from '../../../../errors/node-error';
import { readNumber } from '../../../../inputs/number';
import { REPEATABLE, sendOnce, toReader } from '../../../routing/send-request';
import { mayStillCome } from './error';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/** How long a stop can take to be noticed. */
const LONGEST_SLEEP_MS = 500;

const askForReplay = sendOnce(REPEATABLE);

/**
 * Asks for the replay, and if *Wait for Recording* is on, asks again until the recording is ready. It gives up when the
 * maximum wait is over, at once if there will be no recording, and when the execution is stopped.
 */
export const waitForReplay = toReader(async function (
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	if (this.getNodeParameter('waitForRecording', false) !== true) return await askForReplay.call(this, request);
	const seconds = readNumber(this.getNodeParameter('maximumWait', 300), 0);
	if (seconds === undefined) {
		const advice = 'Enter a number, such as 300';
		throw inputError(this.getNode(), this.getItemIndex(), 'Maximum Wait must be a number of seconds', advice);
	}
	const stop = this.getExecutionCancelSignal();
	const end = Date.now() + seconds * 1000;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
		const { items, error } = await askForReplay.call(this, request).then(
			(received) => ({ items: received, error: undefined }),
			(reason: NodeApiError) => ({ items: undefined, error: reason }),
		);
		if (items) return items;
		if (!mayStillCome(error)) throw error;
		const left = end - Date.now();
		if (left <= 0) throw timedOut(error, seconds);
		await sleepUnlessStopped(Math.min(pause, left), stop);
		if (stop?.aborted) {
			const itemIndex = this.getItemIndex();
			throw new NodeOperationError(this.getNode(), 'The execution was stopped while waiting', { itemIndex });
		}
	}
});

/** The last error, with advice for someone who has waited. */
function timedOut(error: NodeApiError, seconds: number): NodeApiError {
	error.description = withAdvice(
		`Waited ${seconds} seconds`,
		'Check that the session has ended, then raise Maximum Wait',
	);
	return error;
}

/**
 * A pause in short pieces, because a sleep cannot be cut short: when this returns after a stop, no timer is left.
 */
async function sleepUnlessStopped(milliseconds: number, stop: AbortSignal | undefined): Promise<void> {
	for (let left = milliseconds; left > 0 && !stop?.aborted; left -= LONGEST_SLEEP_MS) {
		await sleep(Math.min(left, LONGEST_SLEEP_MS));
	}
}
