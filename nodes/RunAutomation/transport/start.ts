import {
	getCredentialAllowedDomains,
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IN8nHttpFullResponse,
	type NodeApiError,
} from 'n8n-workflow';

import { noAnswerReason } from '../../shared/no-answer';
import { apiError, describe, serviceError } from '../../shared/service-error';
import { withoutSecrets } from '../../shared/service-reason';
import { findUrlFault } from '../../shared/service-url';
import { credentialProblemOf, type CredentialProblem } from '../../token/credential-error';
import { addressIn, secretsIn } from '../../token/credential-values';
import type { RunRequest } from '../parameters/run-request';
import { attachDetails } from './run-details';
import { stopSignalOf, Watchdog } from './watchdog';

const CREDENTIAL = 'browserAutomationApi';

/** Bytes of an answer that is no stream which are read to find the reason in it. */
const MAX_BODY = 64 * 1024;

/** The answer to a start, its body unread. */
export interface StartAnswer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** From the `x-thread-id` header: known before anything of the body is. */
	threadId: string | undefined;
	body: AsyncIterable<Uint8Array>;
	/** Tells the watchdog about bytes, and is told by it why the connection was closed. */
	watchdog: Watchdog;
	/** Values that must not reach an error. */
	secrets: unknown[];
}

type StreamBody = AsyncIterable<Uint8Array> & { on?(event: 'error', listener: () => void): void };

/**
 * Sends one start (contract, section 4.2) and hands its answer to `read`. It is sent once, whatever happens: no retry,
 * no redirect, no second try after a 401. The connection is closed when `read` is done, when a limit of the request
 * passes, and when the execution is stopped.
 *
 * @param onTick called about once a second while the connection is open
 * @throws NodeOperationError where the credential cannot be used, NodeApiError where no answer came
 */
export async function withStart<T>(
	context: IExecuteFunctions,
	request: RunRequest,
	read: (answer: StartAnswer) => Promise<T>,
	onTick?: () => void,
): Promise<T> {
	const { itemIndex, limits } = request;
	const credentials = await context.getCredentials(CREDENTIAL, itemIndex);
	const automationUrl = addressIn(credentials, 'automationUrl');
	const fault = findUrlFault(automationUrl, 'Automation URL', credentials.allowUnencrypted === true);
	if (fault) {
		const description = describe(fault, 'Nothing was sent to the service');
		throw new NodeOperationError(context.getNode(), fault, { itemIndex, description });
	}

	const allowedDomains = allowedDomainsOf(context, credentials, automationUrl);
	const watchdog = new Watchdog(limits, stopSignalOf(context), onTick);
	const secrets = secretsIn(credentials);
	try {
		const response = await send(context, request, { credentials, automationUrl, allowedDomains }, watchdog).catch(
			(error: NodeApiError) => {
				const problem = credentialProblemOf(error);
				if (problem) throw credentialError(context, itemIndex, problem);
				const reason = noAnswerReason({ code: error.httpCode, message: error.message });
				throw noAnswerError(context, itemIndex, watchdog, withoutSecrets(reason, secrets));
			},
		);
		const body = response.body as unknown as StreamBody;
		// A body that is closed before it is read would otherwise raise its error where nobody listens.
		body.on?.('error', () => {});
		const threadId = response.headers['x-thread-id'];
		return await read({
			statusCode: response.statusCode,
			headers: response.headers,
			threadId: typeof threadId === 'string' && threadId !== '' ? threadId : undefined,
			body,
			watchdog,
			secrets,
		});
	} finally {
		watchdog.close();
	}
}

/**
 * What n8n makes of the credential's *Allowed HTTP Request Domains* for a node that the credential belongs to, as its
 * declarative engine asks for it; undefined where everything is allowed, or where n8n is too old to know the setting.
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

/** Where a start goes, and with which key. */
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
		// Every status comes back as an answer: n8n would send the start again after a 401.
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		allowedDomains,
		// The watchdog knows the limits; the time-out of n8n's own client would fire first at 300 s.
		timeout: 0,
	})) as IN8nHttpFullResponse;
}

/** The error if the credential refused to be used: nothing was sent, so there is no run to look for. */
const credentialError = (context: IExecuteFunctions, itemIndex: number, { reason, advice }: CredentialProblem) =>
	new NodeOperationError(context.getNode(), reason, { itemIndex, description: describe(reason, advice) });

/** The error where no answer came at all. The error of n8n's client is left out of it: it holds the request's headers. */
function noAnswerError(context: IExecuteFunctions, itemIndex: number, watchdog: Watchdog, reason: string) {
	const node = context.getNode();
	if (watchdog.isStopped) {
		return attachDetails(
			new NodeOperationError(node, 'The execution was stopped before the service answered', { itemIndex }),
			{ thread_id: null, status: 'interrupted' },
		);
	}
	const advice =
		'Check the Automation URL. If the service was reached, the run may have started: look for it in the web console before you start it again';
	const error = apiError(node, watchdog.expired ?? reason, advice, { itemIndex });
	return attachDetails(error, { thread_id: null, status: watchdog.expired ? 'timed_out' : 'interrupted' });
}

/** Reads a body that is no stream, as far as a reason may stand in it. What breaks off is read as far as it came. */
export async function readText({ body, watchdog }: StartAnswer): Promise<string> {
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

/**
 * The error for an answer that is not what a start is answered with.
 *
 * @param body the text of the answer, in which the reason is looked for
 * @param expected what should have come, for the sentence where the body gives no reason
 */
export function unexpectedAnswerError(
	context: IExecuteFunctions,
	itemIndex: number,
	{ statusCode, headers, secrets, threadId }: StartAnswer,
	body: string,
	expected: string,
): NodeApiError {
	const error = serviceError({ statusCode, headers, body, expected }, { node: context.getNode(), itemIndex, secrets });
	return attachDetails(error, { thread_id: threadId ?? null, status: 'failed' });
}
