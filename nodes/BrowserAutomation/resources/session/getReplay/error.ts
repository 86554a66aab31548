import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData, NodeApiError } from 'n8n-workflow';

import { errorOf, isSuccess } from '../../../routing/throw-service-error';

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
export function mayComeAfter({ statusCode, body }: Pick<IN8nHttpFullResponse, 'statusCode' | 'body'>): boolean {
	const { replay_status: status, retryable } = Object(body) as ReplayState;
	if (retryable === false || FINAL.includes(status as string)) return false;
	return retryable === true || statusCode === 404 || BUSY.includes(String(statusCode));
}

/** Whether the recording may come later, after an error of {@link throwReplayError}. */
export const mayStillCome = (error: NodeApiError): boolean => error.context?.recordingMayStillCome === true;
