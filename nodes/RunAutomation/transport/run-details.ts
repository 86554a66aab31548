import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { RunStatus } from '../stream';

/** What is known of a run that gave no result. It stands in the error's context and in the error item. */
export type RunDetails = { thread_id: string | null; status: RunStatus; [field: string]: unknown };

export type NodeError = NodeApiError | NodeOperationError;

/** Adds what is known of the run to an error: to its context, and the thread ID to its description. */
export function attachDetails<T extends NodeError>(error: T, details: RunDetails): T {
	error.context.details = details;
	if (details.thread_id) error.description = `${error.description ?? error.message}. Thread ID: ${details.thread_id}`;
	return error;
}

/** What is known of the run that an error is about; undefined where no request was sent. */
export const detailsOf = (error: NodeError): RunDetails | undefined => error.context.details as RunDetails | undefined;
