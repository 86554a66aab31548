import type { Answer, OrNotStarted } from '../../shared/start/busy';
import { FailureError, type Failure } from '../../shared/failure/failure';
import { listLinks } from '../form/agent-files';
import type { Start } from '../../shared/start/ledger';
import { logStart, recordThread } from '../../shared/n8n/record-runs';
import { NO_TIME_LEFT, possibleRun, type BackgroundStart } from '../../shared/start/start-response';
import { counted } from '../../shared/values/text';
import { Watchdog } from '../../shared/http/watchdog';
import type { Plan } from '../result/conversation';
import type { StartBody } from '../form/run-request';
import { correctionTask } from '../reply/prompt';
import { readReply, withoutFileTokens, type Reply } from '../reply/reply';
import { StreamReading, type OpenStream } from '../run/read-stream';
import { openStream, requestBackgroundStart } from './send';
import type { ItemContext } from './context';

/** Links to files are valid for as long as the run may take, from now on. */
function startBodyOf({ batch: { context, execution }, request, files }: ItemContext, plan: Plan): StartBody {
	const { body, limits, operation, rows, taskWith } = request;
	if (plan.kind === 'correction') {
		return { ...body, query: correctionTask(plan.problems, rows!), thread_id: plan.threadId };
	}
	if (files.length === 0) return body;
	const time = Math.min(limits.total, execution.endsAt - performance.now());
	return { ...body, query: taskWith(listLinks(context.helpers, files, operation === 'background' ? Infinity : time)) };
}

interface Sending {
	body: StartBody;
	start: Start;
	watchdog: Watchdog;
}

/**
 * Lists a start, sends it, and sends it again while the service is busy. Without time left, a first start fails, and a correction is
 * not sent.
 *
 * @param open sends it; throws FailureError if it is not accepted
 * @param read reads the response to an accepted start
 */
async function sendStart<R, T>(
	item: ItemContext,
	plan: Plan,
	open: (sending: Sending) => Promise<R>,
	read: (response: R, sending: Sending) => Promise<T> | T,
): Promise<OrNotStarted<T>> {
	const { batch, request, live, ledger } = item;
	const { context, execution, gate } = batch;
	const timeLeft = () => execution.endsAt - performance.now();
	const sendOnce = async (): Promise<Answer<T>> => {
		const body = startBodyOf(item, plan);
		const watchdog = new Watchdog({ ...request.limits, workflow: timeLeft() }, execution.stop);
		const { start, isResend } = ledger.add(request.itemIndex, body.thread_id ?? null);
		if (!isResend) logStart(context, 'requested', request.itemIndex);
		const sending = { body, start, watchdog };
		try {
			const response = await open(sending);
			start.effect = 'run';
			const readAndClose = async () => {
				try {
					return await read(response, sending);
				} finally {
					watchdog.close();
				}
			};
			return { is: 'accepted', read: readAndClose };
		} catch (error) {
			watchdog.close();
			return busyAnswer(recordFailedStart(item, start, error as Error));
		}
	};
	const sent = await gate.send(sendOnce, {
		isEnding: () => batch.isEnding() || timeLeft() <= 0,
		onPause: (wait) =>
			live.showLine(`The service is busy. Next attempt in ${counted(Math.ceil(wait / 1000), 'second')}`),
	});
	const isTooLate = sent.is === 'notStarted' && plan.kind === 'first' && !batch.isEnding();
	if (isTooLate) throw new FailureError(NO_TIME_LEFT);
	return sent;
}

function busyAnswer(failure: Failure): Answer<never> {
	const { cause } = failure;
	if (cause === 'busy' || cause === 'unavailable') return { is: cause, failure };
	throw new FailureError(failure);
}

function recordStartThread({ batch, request, mask }: ItemContext, start: Start, threadId: string | undefined): void {
	start.thread_id = threadId ?? start.thread_id;
	if (threadId !== undefined) recordThread(batch.context, request.itemIndex, mask(threadId));
}

/** Adds what is known of its run to a start, or withdraws it. */
function recordFailedStart(item: ItemContext, start: Start, error: Error): Failure {
	const original = error instanceof FailureError ? error.failure : unexpectedFailure(error, start);
	// Other items, whose credentials may differ, end with the same failure.
	const failure = { ...original, reason: item.mask(original.reason) };
	const { effect = 'maybe', run: known } = failure;
	if (effect === 'none') {
		item.ledger.withdraw(start);
		return failure;
	}
	if (known?.thread_id && known.thread_id !== start.thread_id) recordStartThread(item, start, known.thread_id);
	start.effect = effect;
	start.status = known?.status ?? start.status;
	return failure;
}

const unexpectedFailure = ({ message }: Error, { effect, thread_id }: Start): Failure => ({
	reason: message,
	...possibleRun(thread_id),
	effect,
});

/** An unexpected error keeps the result so far. */
export function failureOf({ ledger, conversation: { result } }: ItemContext, error: Error): Failure {
	if (error instanceof FailureError) return error.failure;
	const start = ledger.ofThisExecution.at(-1);
	if (!start) return { reason: error.message, advice: 'Execute this node again', effect: 'none' };
	const failure = unexpectedFailure(error, start);
	return result ? { ...failure, effect: 'run', run: result } : failure;
}

/** Starts a run in the background (section 4.2, detached). */
export async function startInBackground(item: ItemContext): Promise<OrNotStarted<BackgroundStart>> {
	const { batch, destination } = item;
	const open = async ({ body, start, watchdog }: Sending) => {
		const response = await requestBackgroundStart(batch.context, body, destination, watchdog);
		recordStartThread(item, start, response.thread_id);
		// Whatever the service reports, such as "queued".
		start.status = 'started';
		return response;
	};
	return await sendStart(item, { kind: 'first' }, open, (response) => response);
}

/** Starts one run, which is billed, and reads it to its end (sections 4.2 and 6). */
export async function startRun(item: ItemContext, plan: Plan): Promise<OrNotStarted<Reply>> {
	const { batch, request, destination, live, excerpt, conversation } = item;
	const open = async ({ body, start, watchdog }: Sending): Promise<OpenStream> => {
		// At each attempt, because the wait for a busy service does not count.
		conversation.deadline = performance.now() + request.limits.total;
		const stream = await openStream(batch.context, body, destination, watchdog);
		const opened = { ...stream, threadId: stream.threadId ?? body.thread_id };
		recordStartThread(item, start, opened.threadId);
		return opened;
	};
	const read = async (opened: OpenStream, { body, start, watchdog }: Sending): Promise<Reply> => {
		const found = await new StreamReading(request, watchdog, live.onChunk, excerpt).read(opened);
		// In an earlier run of the thread, the agent may have received file links.
		const knowsLinks = item.files.length > 0 || body.thread_id !== undefined;
		const reply = readReply(knowsLinks ? withoutFileTokens(found) : found, request, excerpt);
		// Never `failed` if the run may be in progress: the advice is then to find it before starting another.
		start.status = reply.run.mayBeRunning ? 'interrupted' : reply.run.status;
		return reply;
	};
	return await sendStart(item, plan, open, read);
}
