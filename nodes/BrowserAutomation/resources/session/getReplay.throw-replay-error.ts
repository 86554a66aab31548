import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData, NodeApiError } from 'n8n-workflow';

import { errorOf, isSuccess } from '../../routing/throw-service-error';

/** States of a recording that it does not leave again. */
const FINAL = ['failed', 'unavailable'];

/** Answers that come from too much to do, whatever was asked for. */
const BUSY = ['429', '502', '503', '504', '529'];

const NOT_READY =
	'A recording exists only some time after its session has ended. Check the Session ID, and turn on Wait for Recording to wait for it';
const NEVER = 'The recording of this session will not come, however often you ask';

/** Reads every answer of the replay endpoint first: what is no success becomes an error, which tells {@link mayStillCome}. */
export async function throwReplayError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	answer: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(answer)) return items;
	const mayCome = mayComeAfter(answer);
	const advice = answer.statusCode === 404 ? (mayCome ? NOT_READY : NEVER) : undefined;
	const error = await errorOf(this, { ...answer, advice });
	error.context.recordingMayStillCome = mayCome;
	throw error;
}

/** Whether the recording may come later. The state of the recording may be missing in the body, and 404 then tells all. */
export function mayComeAfter({ statusCode, body }: Pick<IN8nHttpFullResponse, 'statusCode' | 'body'>): boolean {
	const { replay_status: status, retryable } = Object(body) as { replay_status?: unknown; retryable?: unknown };
	if (retryable === false || FINAL.includes(status as string)) return false;
	return retryable === true || statusCode === 404 || BUSY.includes(String(statusCode));
}

/** Whether the recording may come later, after an error of {@link throwReplayError}. */
export const mayStillCome = (error: NodeApiError): boolean => error.context?.recordingMayStillCome === true;
