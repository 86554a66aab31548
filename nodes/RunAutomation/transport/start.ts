import {
	getCredentialAllowedDomains,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IN8nHttpFullResponse,
	type NodeApiError,
} from 'n8n-workflow';

import { findUrlProblem } from '../../addresses/service-url';
import { apiError, inputError, type NodeError } from '../../errors/node-error';
import { noResponseReason, wasNothingSent } from '../../errors/no-response';
import { withoutSecrets } from '../../errors/secrets';
import { serviceError } from '../../errors/service-error';
import { CHECK_BEFORE_RESTART, noResponseAdvice, readOutcome, threadIdIn } from '../../starts/outcome';
import { credentialProblemOf } from '../../token/credential-error';
import { addressIn, secretsIn } from '../../token/credential-values';
import { isObject } from '../../values/is-object';
import type { RunRequest } from '../parameters/run-request';
import { parseJson } from '../stream';
import { bodyOf, expiredReason, stopSignalOf, Watchdog, type Body } from '../../execution/watchdog';

const CREDENTIAL = 'browserAutomationApi';

/** Characters of a response that is not a stream which are read to find the reason in it. */
const MAX_BODY = 64 * 1024;

/** The response to a start, its body unread. */
export interface StartResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** From the `x-thread-id` header: known before anything of the body is. */
	threadId: string | undefined;
	body: Body;
	/** Tells the watchdog about bytes, and is told by it why the connection was closed. */
	watchdog: Watchdog;
	/** Values that must not reach an error. */
	secrets: unknown[];
}

/**
 * Sends one start (`POST /api/anything/start`) and hands its response to `read`. It is sent only once: no retry, no
 * redirect, no second attempt after a 401. The connection is closed when `read` is done, when a limit of the
 * request passes, and when the execution is stopped.
 *
 * @param onTick called about once a second while the connection is open
 * @throws NodeOperationError if the credential cannot be used, NodeApiError if there is no response
 */
export async function withStart<T>(
	context: IExecuteFunctions,
	request: RunRequest,
	read: (response: StartResponse) => Promise<T>,
	onTick?: () => void,
): Promise<T> {
	const { itemIndex, limits } = request;
	const credentials = await context.getCredentials(CREDENTIAL, itemIndex).catch((error: Error) => {
		throw inputError(context.getNode(), itemIndex, error.message, 'Nothing was sent. Choose a credential in this node');
	});
	const automationUrl = addressIn(credentials, 'automationUrl');
	const problem = findUrlProblem(automationUrl, 'Automation URL', credentials.allowUnencrypted === true);
	if (problem) throw inputError(context.getNode(), itemIndex, problem.reason, problem.advice);

	const allowedDomains = allowedDomainsOf(context, credentials, automationUrl);
	const watchdog = new Watchdog(limits, stopSignalOf(context), onTick);
	const secrets = secretsIn(credentials);
	try {
		const response = await send(context, request, { credentials, automationUrl, allowedDomains }, watchdog).catch(
			(error: NodeApiError) => {
				throw noResponseError(context, request, watchdog, error, secrets);
			},
		);
		const body = bodyOf(response.body);
		const { statusCode, headers } = response;
		return await read({ statusCode, headers, threadId: threadIdIn(headers), body, watchdog, secrets });
	} finally {
		watchdog.close();
	}
}

/**
 * The domains that the credential's *Allowed HTTP Request Domains* allow this node, found as n8n's declarative engine finds
 * them; undefined if everything is allowed, or if n8n is too old to know the setting.
 */
function allowedDomainsOf(
	context: IExecuteFunctions,
	credentialData: ICredentialDataDecryptedObject,
	nodeEndpointUrl: string,
): string | undefined {
	if (typeof getCredentialAllowedDomains !== 'function') return undefined;
	return getCredentialAllowedDomains({
		node: context.getNode(),
		credentialData,
		credentialOwnedSurface: true,
		nodeEndpointUrl,
	});
}

/** Where to send a start, and with which key. */
interface Destination {
	credentials: ICredentialDataDecryptedObject;
	automationUrl: string;
	allowedDomains: string | undefined;
}

async function send(
	context: IExecuteFunctions,
	{ body }: RunRequest,
	{ credentials, automationUrl, allowedDomains }: Destination,
	{ signal }: Watchdog,
) {
	const forItem = Object.create(context, {
		// n8n puts its own signal in the place of the one in the options, and only a signal closes a streamed connection.
		getExecutionCancelSignal: { value: () => signal },
		// n8n would read the credential again, with the values of the first item.
		getCredentials: { value: async () => credentials },
	}) as IExecuteFunctions;
	return (await context.helpers.httpRequestWithAuthentication.call(forItem, CREDENTIAL, {
		method: 'POST',
		baseURL: automationUrl,
		url: '/api/anything/start',
		headers: { Accept: body.detach ? 'application/json' : 'text/event-stream', 'Content-Type': 'application/json' },
		body: body as unknown as IDataObject,
		encoding: 'stream',
		returnFullResponse: true,
		// Every status comes back as a response: n8n would send the start again after a 401.
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		allowedDomains,
		// The watchdog knows the limits; the time-out of n8n's own client would fire first at 300 s.
		timeout: 0,
	})) as IN8nHttpFullResponse;
}

/** The error if there is no response. It does not contain the error of n8n's client, which has the request's headers. */
function noResponseError(
	context: IExecuteFunctions,
	{ itemIndex, limits }: RunRequest,
	watchdog: Watchdog,
	cause: NodeApiError,
	secrets: unknown[],
): NodeError {
	const node = context.getNode();
	const problem = credentialProblemOf(cause);
	if (problem) return inputError(node, itemIndex, problem.reason, problem.advice);
	const { httpCode, message } = cause;
	const failed = (reason: string, status?: string, advice = CHECK_BEFORE_RESTART) =>
		apiError(node, { reason, advice, itemIndex, run: status ? { thread_id: null, status } : undefined });
	if (watchdog.expired) return failed(expiredReason(watchdog.expired, limits), 'timed_out');
	if (watchdog.isStopped) return failed('The execution was stopped before the service responded', 'interrupted');
	const isUnsent = wasNothingSent(httpCode);
	const reason = withoutSecrets(noResponseReason({ code: httpCode, message }), secrets);
	return failed(reason, isUnsent ? undefined : 'interrupted', noResponseAdvice(isUnsent));
}

/** Reads the beginning of a body that is not a stream, to find the reason in it. */
export async function readText({ body, watchdog }: StartResponse): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const bytes of body) {
			watchdog.touch();
			text += decoder.decode(bytes, { stream: true });
			if (text.length > MAX_BODY) {
				watchdog.close();
				break;
			}
		}
	} catch {
		return text;
	}
	return text;
}

/** The JSON object in a body; empty if there is none. */
export function readObject(body: string): IDataObject {
	const value = parseJson(body);
	return isObject(value) ? (value as IDataObject) : {};
}

/**
 * The error for an unexpected response to a start.
 *
 * @param body the text of the response, in which the reason is looked for
 * @param expected what the service should have sent, for the sentence if the body gives no reason
 */
export function unexpectedResponseError(
	context: IExecuteFunctions,
	{ itemIndex, body: { thread_id: continued } }: RunRequest,
	{ statusCode, headers, secrets }: StartResponse,
	body: string,
	expected: string,
): NodeApiError {
	const { advice, run } = readOutcome(statusCode, threadIdIn(headers, readObject(body)), continued !== undefined);
	const response = { statusCode, headers, body, expected, advice };
	return serviceError(response, { node: context.getNode(), itemIndex, secrets, run });
}
