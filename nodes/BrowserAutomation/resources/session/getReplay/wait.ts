import {
	NodeOperationError,
	sleep,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type NodeApiError,
} from 'n8n-workflow';

import { inputError, withAdvice } from '../../../../errors/node-error';
import { readNumber } from '../../../../inputs/number';
import { errorOf, isSuccess } from '../../../routing/read-response';
import { REPEATABLE, sendOnce, toReader } from '../../../routing/send-request';

/** States of a recording that do not change. */
const FINAL = ['failed', 'unavailable'];

/** States of a recording that will be ready later. */
const ON_ITS_WAY = ['waiting_for_session', 'processing'];

/** Statuses of an overloaded service, whatever was asked for. */
const BUSY = ['429', '502', '503', '504', '529'];

const NOT_READY = 'Recordings are created some time after the session ends. Turn on Wait for Recording';
const NEVER = 'This session has no recording and will not get one';

/** What the body of an error may say about the recording. */
interface ReplayState {
	replay_status?: unknown;
	retryable?: unknown;
}

/** The first step of reading every response: an error tells whether the recording {@link mayStillCome}. */
export async function throwReplayError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(response)) return items;
	const mayCome = mayComeAfter(response);
	const error = await errorOf(this, { ...response, advice: adviceFor(response, mayCome) });
	error.context.recordingMayStillCome = mayCome;
	throw error;
}

/** What to do next; undefined if the response says nothing about the recording, such as for an unknown session. */
function adviceFor({ statusCode, body }: IN8nHttpFullResponse, mayCome: boolean): string | undefined {
	if (statusCode === 410 || (statusCode === 404 && !mayCome)) return NEVER;
	const { replay_status: status, retryable } = Object(body) as ReplayState;
	const isOnItsWay = retryable === true || ON_ITS_WAY.includes(status as string);
	return statusCode === 404 && isOnItsWay ? NOT_READY : undefined;
}

/** Whether the recording may come later. If the body has no state, a 404 means that it may. */
function mayComeAfter({ statusCode, body }: IN8nHttpFullResponse): boolean {
	const { replay_status: status, retryable } = Object(body) as ReplayState;
	if (retryable === false || FINAL.includes(status as string)) return false;
	return retryable === true || statusCode === 404 || BUSY.includes(String(statusCode));
}

/** Whether the recording may come later, after an error of {@link throwReplayError}. */
const mayStillCome = (error: NodeApiError): boolean => error.context?.recordingMayStillCome === true;

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
