// What is known of a batch, and of one item, while the item is processed.

import type { BusyGate } from '../../shared/start/busy';
import type { NodeInExecution } from '../../shared/n8n/execution';
import type { AgentFile } from '../form/task/agent-files';
import type { Ledger } from '../../shared/start/ledger';
import type { Excerpt } from '../../shared/values/text';
import type { Conversation } from '../result/conversation';
import type { RunRequest } from '../form/run-request';
import type { LiveOutput } from '../output/live';
import type { Destination } from './send';

export interface Batch extends NodeInExecution {
	readonly gate: BusyGate;
	/** The execution was stopped, or another item has stopped the node. */
	isEnding(): boolean;
}

export interface ItemContext {
	readonly batch: Batch;
	readonly request: RunRequest;
	readonly destination: Destination;
	/** The files for the agent. They are copied before the first start. */
	files: AgentFile[];
	readonly ledger: Ledger<unknown>;
	readonly conversation: Conversation;
	readonly live: LiveOutput;
	/** Masks secrets. */
	mask(text: string): string;
	/** Masks secrets, then cuts the text. */
	readonly excerpt: Excerpt;
}
