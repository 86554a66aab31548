// Sends one start, and tells a stream, a background start and a failure apart.

import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	NodeApiError,
} from 'n8n-workflow';

import { FailureError } from '../../shared/failure/failure';
import type { ServiceResponse } from '../../shared/failure/response/response';
import { bodyOf, watchedBy, type Body, type Watchdog } from '../../shared/http/watchdog';
import { labelsOf } from '../../shared/form/field';
import { readBody } from '../../shared/http/read-body';
import { compressionIn } from '../../shared/failure/response/compressed';
import {
	noStartFailure,
	backgroundStartIn,
	startFailure,
	type BackgroundStart,
} from '../../shared/start/start-response';
import { threadIdIn } from '../../shared/start/thread';
import { API_KEY, readCredentials, START_PATH, urlIn, secretsIn } from '../../shared/http/credential';
import { fields } from '../form/fields';
import type { StartBody } from '../form/run-request';
import type { OpenStream } from '../run/read-stream';

export interface Destination {
	automationUrl: string;
	/** Resolved by n8n for this item. */
	credentials: ICredentialDataDecryptedObject;
	secrets: unknown[];
}

export async function readDestination(context: IExecuteFunctions, itemIndex: number): Promise<Destination> {
	const credentials = await readCredentials(context, API_KEY, itemIndex, 'automationUrl');
	return { credentials, automationUrl: urlIn(credentials, 'automationUrl'), secrets: secretsIn(credentials) };
}

type StartResponse = Omit<IN8nHttpFullResponse, 'body'> & { body: Body; url: string; path: string; sent: StartBody };

/** Proxies may hold back a stream that they compress. */
const STREAM_HEADERS = { Accept: 'text/event-stream', 'Accept-Encoding': 'identity' };

/** The caller must close the watchdog. */
async function postStart(
	context: IExecuteFunctions,
	body: StartBody,
	{ credentials, automationUrl }: Destination,
	watchdog: Watchdog,
): Promise<StartResponse> {
	const forItem = watchedBy(watchdog, context, async () => await Promise.resolve(credentials));
	const request: IHttpRequestOptions = {
		method: 'POST',
		baseURL: automationUrl,
		url: START_PATH,
		headers: body.detach ? { Accept: 'application/json' } : STREAM_HEADERS,
		body,
		encoding: 'stream',
		returnFullResponse: true,
		// n8n would resend the start after a 401.
		ignoreHttpStatusErrors: true,
		// n8n's own client would time out after 300 s.
		timeout: 0,
	};
	const send = context.helpers.httpRequestWithAuthentication.call(forItem, API_KEY, request);
	const response = (await send.catch((error: NodeApiError) => {
		throw new FailureError(noStartFailure(watchdog, error, body.thread_id));
	})) as IN8nHttpFullResponse;
	watchdog.touch();
	return { ...response, url: automationUrl, path: START_PATH, sent: body, body: bodyOf(response.body) };
}

async function readResponse(response: StartResponse, watchdog: Watchdog): Promise<ServiceResponse> {
	return { ...response, ...(await readBody(response.body, watchdog)), labels: labelsOf(fields) };
}

const STREAM_FORMAT_HEADER = /^x-.+-ai-ui-message-stream$/;
const NO_STREAM_TYPE = /^(application\/(.+\+)?json|text\/html|application\/(.+\+)?xml|text\/xml)\b/i;

/** The service promises no content type. */
function isStream({ statusCode, headers }: StartResponse): boolean {
	const isAnnounced = Object.keys(headers).some((name) => STREAM_FORMAT_HEADER.test(name.toLowerCase()));
	if (isAnnounced) return statusCode < 300;
	return statusCode === 200 && !NO_STREAM_TYPE.test(String(headers['content-type']));
}

export async function openStream(
	context: IExecuteFunctions,
	body: StartBody,
	to: Destination,
	watchdog: Watchdog,
): Promise<OpenStream> {
	const response = await postStart(context, body, to, watchdog);
	if (isStream(response) && compressionIn(response.headers) === undefined)
		return { threadId: threadIdIn(response.headers), stream: response.body };
	const parsed = { ...(await readResponse(response, watchdog)), expected: 'the output of a run' };
	throw new FailureError(startFailure(parsed, body.thread_id));
}

export async function requestBackgroundStart(
	context: IExecuteFunctions,
	body: StartBody,
	to: Destination,
	watchdog: Watchdog,
): Promise<{ threadId: string; started: BackgroundStart }> {
	const response = await postStart(context, body, to, watchdog);
	const started = backgroundStartIn(await readResponse(response, watchdog), body.thread_id);
	return { threadId: started.thread_id, started };
}
