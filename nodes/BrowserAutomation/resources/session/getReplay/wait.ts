import { sleep, type IExecuteSingleFunctions, type INodeProperties } from 'n8n-workflow';

import { Failed, refused, type Failure } from '../../../../errors/failure';
import type { ServiceResponse } from '../../../../errors/service-error';
import { readNumber } from '../../../../form/read-field';
import { isOn } from '../../../routing/request-fields';
import { sendRepeatable, type Send } from '../../../routing/send-request';

const FINAL = ['failed', 'unavailable'];

const ON_ITS_WAY = ['waiting_for_session', 'processing'];

const BUSY = ['429', '502', '503', '504', '529'];

const NOT_READY = "Recordings are created some time after the session ends. Turn on 'Wait for Recording'";
const NEVER = 'This session has no recording and will not get one';

interface ReplayFailure extends Failure {
	mayComeLater?: boolean;
}

/** What a response that is not a success says about the recording. If it tells no state, a 404 means that it may come. */
export function explainState(
	_context: IExecuteSingleFunctions,
	failure: Failure,
	{ statusCode, body }: ServiceResponse,
): ReplayFailure {
	const { replay_status: status, retryable } = Object(body) as { replay_status?: unknown; retryable?: unknown };
	const isMissing = statusCode === 404;
	const isOver = statusCode === 410 || retryable === false || FINAL.includes(status as string);
	const mayComeLater = !isOver && (retryable === true || isMissing || BUSY.includes(String(statusCode)));
	const isOnItsWay = isMissing && (retryable === true || ON_ITS_WAY.includes(status as string));
	if (isOnItsWay && mayComeLater) return { ...failure, advice: NOT_READY, mayComeLater };
	const isNever = statusCode === 410 || (isMissing && !mayComeLater);
	return { ...failure, advice: isNever ? NEVER : failure.advice, mayComeLater };
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/** How long a stop can take to be noticed. */
const LONGEST_SLEEP_MS = 500;

export const waitForRecording: INodeProperties = {
	displayName: 'Wait for Recording',
	name: 'waitForRecording',
	type: 'boolean',
	default: false,
	description: 'Whether to wait until the recording is ready. The service creates it some time after the session ends.',
};

export const maximumWait: INodeProperties = {
	displayName: 'Maximum Wait (Seconds)',
	name: 'maximumWait',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 300,
	displayOptions: { show: { waitForRecording: [true] } },
	description: 'Maximum time to wait for the recording',
};

/**
 * Asks for the replay, and if *Wait for Recording* is on, asks again until the recording is ready. It gives up when the
 * maximum wait is over, at once if there will be no recording, and when the execution is stopped.
 */
export const waitForReplay: Send = async function (request) {
	if (!isOn(this, waitForRecording)) return await sendRepeatable.call(this, request);
	const seconds = readNumber(maximumWait, this.getNodeParameter(maximumWait.name, maximumWait.default));
	const stop = this.getExecutionCancelSignal();
	const end = Date.now() + seconds * 1000;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
		const answer = await sendRepeatable.call(this, request).catch(failureIn);
		if (Array.isArray(answer)) return answer;
		if (!answer.mayComeLater) throw new Failed(answer);
		const left = end - Date.now();
		if (left <= 0) throw new Failed({ ...answer, advice: afterWaiting(seconds) });
		await sleepUnlessStopped(Math.min(pause, left), stop);
		if (stop?.aborted) throw refused('The execution was stopped while waiting', '');
	}
};

function failureIn(error: Error): ReplayFailure {
	if (!(error instanceof Failed)) throw error;
	return error.failure;
}

const afterWaiting = (seconds: number): string =>
	`Waited ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Check that the session has ended, then raise 'Maximum Wait (Seconds)'`;

/** A pause in short pieces, because a sleep cannot be cut short: when this returns after a stop, no timer is left. */
async function sleepUnlessStopped(milliseconds: number, stop: AbortSignal | undefined): Promise<void> {
	for (let left = milliseconds; left > 0 && !stop?.aborted; left -= LONGEST_SLEEP_MS) {
		await sleep(Math.min(left, LONGEST_SLEEP_MS));
	}
}
