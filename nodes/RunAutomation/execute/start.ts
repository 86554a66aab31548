// Starts one run: waits while the service is busy, lists the start in the ledger, sends it, and reads whether it was accepted.

import type { IN8nHttpFullResponse, NodeApiError } from 'n8n-workflow';

import { FailureError } from '../../shared/failure/failure';
import { compressionIn } from '../../shared/failure/response/reason';
import { labelsOf } from '../../shared/form/fields';
import type { BusyGate } from '../../shared/http/busy';
import { API_KEY, START_PATH, type RequestWithUse } from '../../shared/http/credential';
import { bodyOf, Watchdog, type Body } from '../../shared/http/watchdog';
import { withSignalAndCredentials } from '../../shared/n8n/request-context';
import type { Ledger } from '../../shared/start/ledger';
import {
	backgroundStartIn,
	defectAfter,
	noStartFailure,
	readStartBody,
	startFailure,
	threadIdIn,
	type BackgroundStart,
} from '../../shared/start/start-response';
import { counted } from '../../shared/values/text';
import { fields } from '../form/fields';
import type { RequestedItem, StartFields } from '../form/run-request';
import { listLinks, type AgentFile } from '../form/agent-files';
import { taskText } from '../form/prompt';
import type { LiveOutput } from '../output/live';

/** One item while it is processed. */
export interface ItemContext extends RequestedItem {
	readonly ledger: Ledger<unknown>;
	readonly gate: BusyGate;
	/** Aborts if the execution was stopped, or another item has stopped the node. */
	readonly nodeEnds: AbortSignal;
	readonly live: LiveOutput;
}

/** A run's stream, or a run that goes on in the background. */
type Accepted = { stream: Body; started?: undefined } | { stream?: undefined; started: BackgroundStart };

/** What the service has accepted. */
type AcceptedStart = Accepted & {
	/** The thread that the response names, or else the requested one. */
	threadId: string | undefined;
	watchdog: Watchdog;
	/** Ends the request. Call it when the stream has been read. */
	release(): void;
	/**
	 * Milliseconds of `performance.now` at which *Run Timeout* ends the run and its downloads: the form promises one limit for
	 * both.
	 */
	deadline: number;
};

/**
 * @param files copies, to which links are made for each start, so that they stay valid during its run
 * @returns undefined if the node was ending, and nothing was sent
 * @throws FailureError if the start was not accepted
 */
export async function startRun(item: ItemContext, files: AgentFile[]): Promise<AcceptedStart | undefined> {
	const { context, execution, request, ledger, gate, nodeEnds, live } = item;
	const { itemIndex: index, limits, operation, task } = request;
	const { mask } = request.secrets;
	const starting = { context, index, mask };
	while (await gate.opens(nodeEnds)) {
		// The wait for a busy service counts neither for links nor for limits.
		const now = performance.now();
		const validFor = operation === 'background' ? Infinity : Math.min(limits.total, execution.endsAt - now);
		const links = files.length > 0 ? listLinks(context.helpers, files, validFor) : '';
		const body = { ...request.body, query: taskText(task, links) };
		const watchdog = new Watchdog(limits, execution);
		ledger.listStart(starting, body.thread_id);
		try {
			const { named, ...accepted } = await sendStart(item, body, watchdog);
			const threadId = named ?? body.thread_id;
			ledger.acceptStart(starting, threadId);
			gate.enter();
			const release = () => {
				watchdog.close();
				gate.leave();
			};
			if (accepted.started) {
				release();
				// The ledger says "started" whatever the service reports, such as "queued".
				ledger.setStatus('started');
			}
			return { ...accepted, threadId, watchdog, release, deadline: now + limits.total };
		} catch (error) {
			watchdog.close();
			const failure = error instanceof FailureError ? error.failure : defectAfter(ledger.start, error as Error);
			ledger.failStart(starting, failure);
			const seconds = Math.ceil(gate.pauseAfter(failure, mask) / 1000);
			live.showLine(`The service is busy. Trying again in ${counted(seconds, 'second')}`);
		}
	}
	return undefined;
}

/** Proxies may hold back a stream that they compress. */
const STREAM_HEADERS = { Accept: 'text/event-stream', 'Accept-Encoding': 'identity' };

const STREAM_FORMAT_HEADER = /^x-.+-ai-ui-message-stream$/;
const NO_STREAM_TYPE = /^(application\/(.+\+)?json|text\/html|application\/(.+\+)?xml|text\/xml)\b/i;

/** Sends the start once (contract 4.2). `named` is the thread that the response names. */
async function sendStart(
	{ context, request }: RequestedItem,
	body: StartFields,
	watchdog: Watchdog,
): Promise<Accepted & { named: string | undefined }> {
	const { automationUrl, credentials } = request;
	const options: RequestWithUse = {
		method: 'POST',
		url: START_PATH,
		// The credential puts its URL before the path.
		credentialUse: { urlField: 'automationUrl' },
		headers: body.detach ? { Accept: 'application/json' } : STREAM_HEADERS,
		body,
		encoding: 'stream',
		returnFullResponse: true,
		// n8n would resend the start after a 401 by itself, outside of the ledger.
		ignoreHttpStatusErrors: true,
		// n8n's own client would time out after 300 s.
		timeout: 0,
	};
	const forItem = withSignalAndCredentials(context, watchdog.signal, async () => await Promise.resolve(credentials));
	const sending = context.helpers.httpRequestWithAuthentication.call(forItem, API_KEY, options);
	const response = (await sending.catch((error: NodeApiError) => {
		throw new FailureError(noStartFailure(watchdog, 'run', error, body.thread_id));
	})) as IN8nHttpFullResponse;
	watchdog.touch();
	const stream = bodyOf(response.body);
	const { statusCode, headers } = response;
	// The service promises no content type.
	const isAnnounced = Object.keys(headers).some((name) => STREAM_FORMAT_HEADER.test(name.toLowerCase()));
	const isStream = isAnnounced
		? statusCode < 300
		: statusCode === 200 && !NO_STREAM_TYPE.test(String(headers['content-type']));
	if (!body.detach && isStream && compressionIn(headers) === undefined) return { named: threadIdIn(headers), stream };
	const about = { url: automationUrl, path: START_PATH, labels: labelsOf(fields) };
	const read = { ...response, ...about, ...(await readStartBody(response, watchdog)) };
	if (!body.detach) throw new FailureError(startFailure({ ...read, expected: 'the output of a run' }, body.thread_id));
	const { value, failure } = backgroundStartIn(read, body.thread_id);
	if (failure) throw new FailureError(failure);
	return { named: value.thread_id, started: value };
}
