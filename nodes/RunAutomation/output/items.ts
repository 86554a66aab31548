import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RunRequest } from '../parameters/run-request';
import type { FollowedRun } from '../transport/follow-run';
import { simplify } from './simplified';

/** The items of one run that was followed to its end, in the form that was asked for. */
export function runItems({ threadId, run }: FollowedRun, { itemIndex, output }: RunRequest): INodeExecutionData[] {
	const json =
		output === 'message'
			? { thread_id: threadId ?? null, status: run.status, message: run.message as unknown as IDataObject }
			: simplify(threadId, run);
	return [{ json, pairedItem: { item: itemIndex } }];
}
