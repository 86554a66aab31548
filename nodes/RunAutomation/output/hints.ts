import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { RunRequest } from '../parameters/run-request';
import type { DetachedStart } from '../transport/start-detached';
import type { CollectedRun } from './items';

/** Hints that are shown for one execution; more would hide the output. */
const MAX_HINTS = 5;

const hint = (message: string, type: NodeExecutionHint['type']): NodeExecutionHint => ({
	message,
	type,
	location: 'outputPane',
});

/** The hint for a run that goes on in the background. */
export const detachedHint = ({ thread_id, url }: DetachedStart): NodeExecutionHint =>
	hint(
		url && /^https?:/i.test(url)
			? `The run goes on in the background: <a href="${encodeURI(url)}" target="_blank">open its thread</a>`
			: `The run goes on in the background in thread ${thread_id}`,
		'info',
	);

/** The hints for a run that was followed: what is missing in its output, and what could not be read. */
export function runHints(
	{ run, threadId, chunksLeftOut }: CollectedRun,
	{ chunkLimit }: RunRequest,
): NodeExecutionHint[] {
	const thread = threadId ? ` (thread ${threadId})` : '';
	const hints: NodeExecutionHint[] = [];
	if (run.status !== 'completed')
		hints.push(hint(`The run is ${run.status.replace('_', ' ')}${thread}: what arrived was put out`, 'warning'));
	if (run.warnings.length) {
		const more = run.warnings.length > 1 ? ` (and ${run.warnings.length - 1} more)` : '';
		hints.push(hint(`Parts of the stream could not be read${thread}: ${run.warnings[0]}${more}`, 'warning'));
	}
	if (chunksLeftOut) {
		const left = `${chunksLeftOut} later chunks were read, but not put out`;
		hints.push(hint(`The Chunk Limit of ${chunkLimit} was reached${thread}: ${left}`, 'warning'));
	}
	return hints;
}

/** Shows hints after the run, where this version of n8n can; many of one kind become one that counts them. */
export function showHints(context: IExecuteFunctions, hints: NodeExecutionHint[]): void {
	if (hints.length === 0 || !('addExecutionHints' in context)) return;
	const shown = hints.slice(0, MAX_HINTS);
	const rest = hints.length - shown.length;
	context.addExecutionHints(...shown, ...(rest ? [hint(`${rest} more hints are not shown`, 'info')] : []));
}
