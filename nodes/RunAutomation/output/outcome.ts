import type { IBinaryKeyData, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { Failure } from '../../errors/failure';

/** A run that was started: its item, how it ended, and its thread. */
export type StartedRun = { item: number; status: string; thread_id: string | null };

/** What one item gets: items, with the reason if they are a partial result; or what happened instead. */
export type Output =
	| { items: INodeExecutionData[]; hints: NodeExecutionHint[]; reason?: string; failure?: undefined }
	| { failure: Failure; binary?: IBinaryKeyData };

/** The output for one input item, and the runs that were started for it, in order: in all tries, and in executions before a *Retry*. */
export type Outcome = Output &
	KnownRuns & { /** Whether it comes from the execution that is retried. */ isKept?: true };

/** The runs that were started for one input item. */
export interface KnownRuns {
	runs: StartedRun[];
	/** How many of them are of executions before this one, of which it is a *Retry*. */
	runsBefore: number;
}
