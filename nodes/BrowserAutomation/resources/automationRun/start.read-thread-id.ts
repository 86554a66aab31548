import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { isUuid } from '../../../shared/uuid';
import { refusal } from '../../routing/refusal';

/**
 * Reads the thread ID of the form, nothing where it is empty. Refuses one that is no UUID, before a run is started that
 * would then not be the one that was meant.
 */
export function readThreadId(context: IExecuteSingleFunctions, value: unknown): string | undefined {
	const threadId = String(value ?? '').trim();
	if (threadId === '') return undefined;
	if (isUuid(threadId)) return threadId;
	throw refusal(
		context,
		'Thread ID is not a UUID',
		'Take it from the thread_id of an earlier run, or leave the field Thread ID empty',
	);
}
