// Explains from the client's error why a request has no response, and whether it was sent.

import type { NodeApiError } from 'n8n-workflow';

import { credentialFailure, credentialProblemOf, type Failure, type KnownRun } from '../failure';

export interface ClientError {
	code?: unknown;
	message?: string;
	syscall?: unknown;
	cause?: unknown;
	errors?: unknown;
	/** The request contains the key, so only its connection's state is read. */
	request?: ClientRequest;
}

interface ClientRequest {
	_currentRequest?: ClientRequest;
	socket?: { secureConnecting?: boolean } | null;
}

/** n8n and its client wrap errors in errors. The outer ones come first. */
function chainOf(error: ClientError, depth = 8): ClientError[] {
	const inner = [error.cause, ...(Array.isArray(error.errors) ? error.errors : [])].filter(
		(one): one is ClientError => typeof one === 'object' && one !== null,
	);
	return depth === 0 ? [error] : [error, ...inner.flatMap((one) => chainOf(one, depth - 1))];
}

const requestOf = ({ request }: ClientError): ClientRequest | undefined => request?._currentRequest ?? request;

/** Codes of a lookup, a connection, or a certificate check that failed. */
const NO_CONNECTION =
	/^(EAI_\w+|ECONNREFUSED|ENOTFOUND|ERR_INVALID_URL|(CERT|CRL|DEPTH_ZERO_SELF_SIGNED|ERROR_IN_CRL|ERR_TLS_CERT|HOSTNAME|INVALID|PATH_LENGTH|SELF_SIGNED|UNABLE_TO)_\w+)$/;

/**
 * The handshake failed, n8n blocked an internal address, or the server does not use TLS. Node.js may consider a TLS 1.3 handshake
 * complete that the server then rejects.
 */
const NO_HANDSHAKE =
	/before secure TLS connection was established|alert (access denied|handshake|certificate|bad certificate|unsupported certificate|unknown ca)|The request was blocked because|:wrong version number:/i;

const NO_TUNNEL = /^Proxy connection (ended|timed out)|before receiving CONNECT response/i;

/** True if the request never got a socket. A direct connection has one immediately. */
function hasNoTunnel(error: ClientError): boolean {
	const request = requestOf(error);
	return NO_TUNNEL.test(error.message ?? '') || (request !== undefined && 'socket' in request && !request.socket);
}

const clientErrorOf = ({ httpCode, message, cause }: NodeApiError): ClientError => ({ code: httpCode, message, cause });

/** True if the service cannot have received anything, even if the node ended the request, such as during a TLS handshake. */
export function isUnsent(error: NodeApiError): boolean {
	const chain = chainOf(clientErrorOf(error));
	const calls = chain.flatMap(({ syscall }) => syscall ?? []);
	if (calls.length > 0 && calls.every((call) => call === 'connect' || call === 'getaddrinfo')) return true;
	return chain.some(
		(one) =>
			hasNoTunnel(one) ||
			requestOf(one)?.socket?.secureConnecting === true ||
			NO_CONNECTION.test(String(one.code)) ||
			NO_HANDSHAKE.test(one.message ?? ''),
	);
}

/** The innermost words are Node.js's own. n8n's may advise to resend a request, which can cost money. */
export function noResponseReason(error: ClientError, sender = 'the service'): string {
	const chain = chainOf(error);
	const innermost = chain.findLast(({ code, message }) => typeof code === 'string' && message);
	return innermost
		? `No response from ${sender}: ${innermost.message}`
		: (error.message ?? `No response from ${sender}`);
}

/** The advice by Node.js's codes, if n8n's own settings are the cause. */
const SETTINGS: Array<[code: RegExp, advice: string]> = [
	[/^ERR_INVALID_URL$/, "Percent-encode special characters in the user name and password of n8n's proxy (HTTPS_PROXY)"],
	[
		/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
		"Check the date and time of the machine that runs n8n: if they are correct, the server's certificate must be renewed",
	],
	[
		/^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY))/,
		'If you trust the server, set the environment variable NODE_EXTRA_CA_CERTS of n8n to the file of its certificate authority',
	],
];

/** Returns undefined unless n8n's own settings are the cause. */
export function settingsAdvice(error: ClientError): string | undefined {
	const chain = chainOf(error);
	const known = SETTINGS.find(([pattern]) => chain.some(({ code }) => pattern.test(String(code))));
	if (known) return known[1];
	return chain.some(hasNoTunnel)
		? "Check n8n's proxy (HTTPS_PROXY), and that it allows connections to the service"
		: undefined;
}

/** An error that has no code is not about the connection. */
export const brokenReason = ({ code, message }: ClientError): string =>
	code
		? `The connection to the service was lost during the run (${String(code)})`
		: `The rest of the output could not be read: ${message}`;

/** @param run the run that the request may have started */
export function noResponseFailure(
	error: NodeApiError,
	advice: { neverSent: string; maybeSent: string },
	run?: KnownRun,
): Failure {
	const problem = credentialProblemOf(error);
	if (problem) return credentialFailure(problem);
	const clientError = clientErrorOf(error);
	const neverSent = isUnsent(error);
	return {
		reason: noResponseReason(clientError),
		advice: neverSent ? (settingsAdvice(clientError) ?? advice.neverSent) : advice.maybeSent,
		httpCode: error.httpCode ?? undefined,
		effect: run && !neverSent ? 'maybe' : 'none',
		...(neverSent ? { cause: 'noConnection' as const } : { run }),
	};
}
