// Data of a batch and of an item while it is processed.

import type { BusyGate } from '../../shared/http/busy';
import type { NodeInExecution } from '../../shared/n8n/execution';
import type { AgentFile } from '../form/task/agent-files';
import type { Ledger } from '../../shared/start/ledger';
import type { Excerpt } from '../../shared/values/text';
import type { RunResult } from '../result/result';
import type { RunRequest } from '../form/run-request';
import type { LiveOutput } from '../output/live';
import type { Destination } from './send';

export interface Batch extends NodeInExecution {
	readonly gate: BusyGate;
	/** True if the execution was stopped, or another item has stopped the node. */
	readonly ending: AbortSignal;
}

export interface ItemContext {
	readonly batch: Batch;
	readonly request: RunRequest;
	readonly destination: Destination;
	/** Copied before the first start. */
	files: AgentFile[];
	readonly ledger: Ledger<unknown>;
	/** Milliseconds of `performance.now` at which *Run Timeout* ends the run and its downloads. */
	deadline: number;
	/** Undefined until the run has ended. */
	result?: RunResult;
	readonly live: LiveOutput;
	mask(text: string): string;
	readonly excerpt: Excerpt;
}
