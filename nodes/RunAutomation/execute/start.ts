// Sends one start of an item, listed in its ledger before, and reads it to its end.

import { FailureError, type Failure } from '../../shared/failure/failure';
import { listLinks } from '../form/task/agent-files';
import type { Start } from '../../shared/start/ledger';
import { listStart, recordAcceptedStart, recordFailedStart, type StartingItem } from '../../shared/start/record-start';
import { NO_TIME_LEFT, possibleRun, type BackgroundStart } from '../../shared/start/start-response';
import { counted } from '../../shared/values/text';
import { Watchdog } from '../../shared/http/watchdog';
import type { StartBody } from '../form/run-request';
import { readReply, withoutFileTokens, type Reply } from '../reply/reply';
import { StreamReading, type OpenStream } from '../run/read-stream';
import { openStream, requestBackgroundStart } from './send';
import type { ItemContext } from './context';

const millisecondsLeft = ({ batch }: ItemContext) => batch.execution.endsAt - performance.now();

/** Links to files are made for each start, to stay valid during its run. */
function startBodyOf(item: ItemContext): StartBody {
	const { batch, request, files } = item;
	const { body, limits, operation, taskWith } = request;
	if (files.length === 0) return body;
	const time = Math.min(limits.total, millisecondsLeft(item));
	return {
		...body,
		query: taskWith(listLinks(batch.context.helpers, files, operation === 'background' ? Infinity : time)),
	};
}

interface AcceptedStart<R> {
	body: StartBody;
	start: Start;
	watchdog: Watchdog;
	response: R;
}

const startingItem = ({ batch, ledger, request, mask }: ItemContext): StartingItem => ({
	context: batch.context,
	ledger,
	itemIndex: request.itemIndex,
	mask,
});

/**
 * The caller must call `endStart`.
 *
 * @param open throws FailureError if the start is not accepted
 * @returns undefined if the node was ending, and nothing was sent
 */
async function sendStart<R extends { threadId: string | undefined }>(
	item: ItemContext,
	open: (...start: Parameters<typeof openStream>) => Promise<R>,
): Promise<AcceptedStart<R> | undefined> {
	const { batch, request, destination } = item;
	const { context, execution, gate } = batch;
	const isEnding = () => batch.isEnding() || millisecondsLeft(item) <= 0;
	const post = async () => {
		// The wait for a busy service counts neither for links nor for limits.
		item.deadline = performance.now() + request.limits.total;
		const body = startBodyOf(item);
		const watchdog = new Watchdog(request.limits, execution);
		const start = listStart(startingItem(item), body.thread_id);
		try {
			const response = await open(context, body, destination, watchdog);
			recordAcceptedStart(startingItem(item), start, response.threadId ?? body.thread_id);
			return { value: { body, start, watchdog, response } };
		} catch (error) {
			watchdog.close();
			return { failure: failedStart(item, start, error as Error) };
		}
	};
	const accepted = await gate.send(isEnding, post, (pause) => showPause(item, pause));
	if (!accepted && !batch.isEnding()) throw new FailureError(NO_TIME_LEFT);
	return accepted;
}

function endStart<R>({ batch }: ItemContext, { watchdog }: AcceptedStart<R>): void {
	watchdog.close();
	batch.gate.leave();
}

const showPause = ({ live }: ItemContext, milliseconds: number) =>
	live.showLine(`The service is busy. Trying again in ${counted(Math.ceil(milliseconds / 1000), 'second')}`);

function failedStart(item: ItemContext, start: Start, error: Error): Failure {
	const original = error instanceof FailureError ? error.failure : unexpectedFailure(error, start);
	const failure = { ...original, reason: item.mask(original.reason) };
	recordFailedStart(startingItem(item), start, failure);
	return failure;
}

const unexpectedFailure = ({ message }: Error, { effect, thread_id }: Start): Failure => ({
	reason: message,
	...possibleRun(thread_id),
	effect,
});

/** An unexpected error keeps the result so far. */
export function failureOf({ ledger, result }: ItemContext, error: Error): Failure {
	const start = ledger.ofThisExecution.at(-1);
	if (error instanceof FailureError) return start ? error.failure : { ...error.failure, effect: 'none' };
	if (!start) return { reason: error.message, advice: 'Execute this node again', effect: 'none' };
	const failure = unexpectedFailure(error, start);
	return result ? { ...failure, effect: 'run', run: result } : failure;
}

/** A detached start (contract 4.2). */
export async function startInBackground(item: ItemContext): Promise<BackgroundStart | undefined> {
	const accepted = await sendStart(item, requestBackgroundStart);
	if (!accepted) return undefined;
	const { start, response } = accepted;
	endStart(item, accepted);
	// The ledger says "started" whatever the service reports, such as "queued".
	start.status = 'started';
	return response.started;
}

/** Reads a billed run to its end (contract 4.2 and 6). */
export async function startRun(item: ItemContext): Promise<Reply | undefined> {
	const accepted = await sendStart(item, openStream);
	if (!accepted) return undefined;
	try {
		return await readRun(item, accepted);
	} finally {
		endStart(item, accepted);
	}
}

async function readRun(
	{ request, files, live, excerpt }: ItemContext,
	{ body, start, watchdog, response }: AcceptedStart<OpenStream>,
): Promise<Reply> {
	const threadId = response.threadId ?? body.thread_id;
	const reading = new StreamReading(request, watchdog, live.onChunk, excerpt);
	const found = await reading.read({ ...response, threadId });
	// The agent may have received file links in the thread's earlier run.
	const knowsLinks = files.length > 0 || body.thread_id !== undefined;
	const reply = readReply(knowsLinks ? withoutFileTokens(found) : found, request, excerpt);
	// A run that may be in progress must be found before another is started.
	start.status = reply.run.mayBeRunning ? 'interrupted' : reply.run.status;
	return reply;
}
