import {
	NodeOperationError,
	sleep,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
	type NodeApiError,
} from 'n8n-workflow';

import { describe } from '../../../shared/service-error';
import { refusal } from '../../routing/refusal';
import { sendRequest } from '../../routing/send-request';
import { mayStillCome } from './getReplay.throw-replay-error';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Asks for the replay, and where the option *Wait for Recording* is on, asks again until the recording is ready. It gives
 * up when the maximum wait is over, at once when the recording will not come, and when the execution is stopped.
 */
export async function waitForReplay(
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	if (this.getNodeParameter('waitForRecording', false) !== true) return await sendRequest.call(this, request);
	const seconds = readSeconds(this);
	const stop = this.getExecutionCancelSignal();
	const end = Date.now() + seconds * 1000;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
		const { items, error } = await sendRequest.call(this, request).then(
			(received) => ({ items: received, error: undefined }),
			(reason: NodeApiError) => ({ items: undefined, error: reason }),
		);
		if (items) return items;
		if (!mayStillCome(error)) throw error;
		const left = end - Date.now();
		if (left <= 0) throw waitedInVain(error, seconds);
		await sleepUnlessStopped(Math.min(pause, left), stop);
		if (stop?.aborted) {
			const itemIndex = this.getItemIndex();
			throw new NodeOperationError(this.getNode(), 'The execution was stopped while waiting', { itemIndex });
		}
	}
}

function readSeconds(context: IExecutePaginationFunctions): number {
	const value: unknown = context.getNodeParameter('maximumWait', 300);
	const seconds = value === '' || value === null ? Number.NaN : Number(value);
	if (Number.isFinite(seconds) && seconds >= 0) return seconds;
	throw refusal(context, 'Maximum Wait is not a number of seconds', 'Enter a number in the field Maximum Wait');
}

function waitedInVain(error: NodeApiError, seconds: number): NodeApiError {
	error.description = describe(
		error.message,
		`It was not ready within ${seconds} s. Raise Maximum Wait, and check that the session has ended and that the Session ID is right`,
	);
	return error;
}

async function sleepUnlessStopped(milliseconds: number, stop: AbortSignal | undefined): Promise<void> {
	if (!stop) return await sleep(milliseconds);
	if (stop.aborted) return;
	let wake = () => {};
	const stopped = new Promise<void>((resolve) => (wake = resolve));
	stop.addEventListener('abort', wake);
	await Promise.race([sleep(milliseconds), stopped]);
	stop.removeEventListener('abort', wake);
}
