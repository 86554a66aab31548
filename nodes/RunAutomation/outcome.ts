import type { IBinaryKeyData, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { Failure } from '../errors/failure';
import type { RunRequest } from './parameters/run-request';
import type { Chunk, Run } from './stream';

/** A run that was started: its item, how it ended, and its thread. */
export type StartedRun = { item: number; status: string; thread_id: string | null };

/** A run that was read until it, or its connection, ended. */
export interface CollectedRun {
	threadId: string | undefined;
	run: Run;
	/** As received, up to the chunk limit; empty unless they are returned. */
	chunks: Chunk[];
	chunksLeftOut: number;
}

/** What one item gets: items, with the reason if they are a partial result; or what happened instead. */
export type Output =
	| { items: INodeExecutionData[]; hints: NodeExecutionHint[]; reason?: string; failure?: undefined }
	| { failure: Failure; binary?: IBinaryKeyData };

/** The output for one input item, and the runs that were started for it in all tries of the node, in order. */
export type Outcome = Output & { runs: StartedRun[] };

export type StartAndStream = (request: RunRequest) => Promise<CollectedRun>;
