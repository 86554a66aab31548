// Explains from the client's error why a request has no response, and whether it was sent.

import type { NodeApiError } from 'n8n-workflow';

import { credentialProblemOf } from '../credential-error';
import { credentialFailure, type Failure, type KnownRun } from '../failure';

/** n8n's own messages may advise to resend a request, which can cost money. */
const CAUSES: Record<string, string> = {
	CERT_HAS_EXPIRED: 'its certificate has expired',
	CERT_NOT_YET_VALID: 'its certificate is not valid yet',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
	EAI_AGAIN: 'host name lookup failed',
	ECONNABORTED: 'timed out',
	ECONNREFUSED: 'connection refused',
	ECONNRESET: 'connection reset',
	EHOSTUNREACH: 'host unreachable',
	ENETUNREACH: 'host unreachable',
	ENOTFOUND: 'unknown host name',
	EPIPE: 'connection closed',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
	ETIMEDOUT: 'timed out',
	INVALID_PURPOSE: 'its certificate is not for servers',
	SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
	connect: 'no connection',
	getaddrinfo: 'host name lookup failed',
};

/** Some of these errors have no code. */
const UNREADABLE: Array<[RegExp, string]> = [
	[/^Parse Error: Header overflow/, 'its headers are too large'],
	[/^Parse Error/, 'it is not HTTP'],
	[/:wrong version number:/, 'it is not HTTPS'],
	[/^stream has been aborted|^unexpected end of file/, 'it ended early'],
	[/^incorrect (data|header) check|^Decompression failed|\(Z_DATA_ERROR\)$/, 'its compressed data is corrupt'],
];

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

function unreadableReason({ code, message }: ClientError, sender: string): string | undefined {
	const known = UNREADABLE.find(([pattern]) => pattern.test(`${message} (${String(code)})`));
	return known && `${sender.charAt(0).toUpperCase()}${sender.slice(1)} sent an unreadable response: ${known[1]}`;
}

/** Node.js's codes for a failed certificate check. */
const CERTIFICATE =
	/^(CERT|CRL|DEPTH_ZERO_SELF_SIGNED|ERROR_IN_CRL|ERR_TLS_CERT|HOSTNAME|INVALID|PATH_LENGTH|SELF_SIGNED|UNABLE_TO)_\w+$/;

const NO_CONNECTION = /^(EAI_\w+|ECONNREFUSED|ENOTFOUND)$/;

/** A server may name its reason, such as "certificate required" (tokio-rustls#83). */
const ALERT = /:(?:sslv3|tlsv1\d?) (?:alert )?(?!(?:alert )?handshake failure)([a-z ]+):.*:SSL alert number/i;

/** Node.js may consider a TLS 1.3 handshake complete that the server then rejects. */
const NO_HANDSHAKE =
	/before secure TLS connection was established|alert (access denied|handshake|certificate|bad certificate|unsupported certificate|unknown ca)/i;

/** Either n8n blocked an internal address, or the server does not use TLS. */
const NOT_BEGUN = /The request was blocked because|:wrong version number:/;
const NO_TUNNEL = /^Proxy connection (ended|timed out)|before receiving CONNECT response/i;
const INVALID_PROXY = 'ERR_INVALID_URL';

/** True if the request never got a socket. A direct connection has one immediately. */
function hasNoTunnel(error: ClientError): boolean {
	const request = requestOf(error);
	return NO_TUNNEL.test(error.message ?? '') || (request !== undefined && 'socket' in request && !request.socket);
}

const hasNoHandshake = (error: ClientError): boolean =>
	requestOf(error)?.socket?.secureConnecting === true || NO_HANDSHAKE.test(error.message ?? '');

const isUnreached = ({ syscall }: ClientError): boolean => syscall === 'connect' || syscall === 'getaddrinfo';

/** True if the service cannot have received anything. */
export function isNeverSent(error: ClientError): boolean {
	const chain = chainOf(error);
	const calls = chain.filter(({ syscall }) => syscall !== undefined);
	if (calls.length > 0 && calls.every(isUnreached)) return true;
	return chain.some(
		(one) =>
			hasNoTunnel(one) ||
			hasNoHandshake(one) ||
			NO_CONNECTION.test(String(one.code)) ||
			CERTIFICATE.test(String(one.code)) ||
			one.code === INVALID_PROXY ||
			NOT_BEGUN.test(one.message ?? ''),
	);
}

function tlsCause(chain: ClientError[]): string | undefined {
	const certificate = chain.map(({ code }) => String(code)).find((code) => CERTIFICATE.test(code));
	if (certificate) return CAUSES[certificate] ?? `its certificate was not accepted (${certificate})`;
	if (!chain.some(hasNoHandshake) || chain.some(isUnreached)) return undefined;
	const [alert] = chain.flatMap(({ message = '' }) => ALERT.exec(message)?.[1] ?? []);
	return `the TLS handshake failed${alert ? ` (${alert})` : ''}`;
}

function connectionCause(chain: ClientError[]): string | undefined {
	if (chain.some(({ code }) => code === INVALID_PROXY)) return 'the URL of the proxy is not valid';
	if (chain.some(({ message = '' }) => NO_TUNNEL.test(message))) return 'the proxy closed the connection';
	const tls = tlsCause(chain);
	if (tls) return tls;
	const names = [...chain.map(({ code }) => String(code)), ...chain.map(({ syscall }) => String(syscall))];
	const known = names.find((name) => Object.hasOwn(CAUSES, name));
	return known && CAUSES[known];
}

/** Unknown errors keep their own message. */
export function noResponseReason(error: ClientError, sender = 'the service'): string {
	const chain = chainOf(error);
	const unreadable = chain.map((one) => unreadableReason(one, sender)).find(Boolean);
	const cause = unreadable ? undefined : connectionCause(chain);
	if (cause) return `No response from ${sender}: ${cause}`;
	return unreadable ?? error.message ?? `No response from ${sender}`;
}

const DATED = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/;
const SELF_SIGNED = /^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY))/;

/** Returns undefined unless n8n's own settings are the cause. */
export function settingsAdvice(error: ClientError): string | undefined {
	const chain = chainOf(error);
	if (chain.some(({ code }) => code === INVALID_PROXY)) {
		return "Percent-encode special characters in the user name and password of n8n's proxy (HTTPS_PROXY)";
	}
	if (chain.some(({ code }) => DATED.test(String(code)))) {
		return "Check the date and time of the machine that runs n8n. If they are correct, the server's certificate must be renewed";
	}
	if (chain.some(({ code }) => SELF_SIGNED.test(String(code)))) {
		return 'If you trust the server, set the environment variable NODE_EXTRA_CA_CERTS of n8n to the file of its certificate authority';
	}
	return chain.some(hasNoTunnel)
		? "Check n8n's proxy (HTTPS_PROXY), and that it allows connections to the service"
		: undefined;
}

/** The response had begun. */
export const cutReason = (error: ClientError): string =>
	unreadableReason(error, 'the service') ?? 'The service sent an unreadable response: it ended early';

/** An error that has no code is not about the connection. */
export function brokenReason({ code, message = '' }: ClientError): string {
	const unreadable = unreadableReason({ code, message }, 'the service');
	if (unreadable) return unreadable;
	if (!code) return `The rest of the output could not be read: ${message}`;
	return `The connection to the service was lost during the run (${CAUSES[String(code)] ?? String(code)})`;
}

export interface NoResponseAdvice {
	neverSent: string;
	maybeSent: string;
}

const clientErrorOf = ({ httpCode, message, cause }: NodeApiError): ClientError => ({ code: httpCode, message, cause });

/** True even if the node ended the request, such as during a TLS handshake. */
export const isUnsent = (error: NodeApiError): boolean => isNeverSent(clientErrorOf(error));

/**
 * Quotes nothing from the client's error, which has the key and cookies.
 *
 * @param run the run that the request may have started
 */
export function noResponseFailure(error: NodeApiError, advice: NoResponseAdvice, run?: KnownRun): Failure {
	const problem = credentialProblemOf(error);
	if (problem) return { ...credentialFailure(problem), effect: run && 'none' };
	const clientError = clientErrorOf(error);
	const neverSent = isNeverSent(clientError);
	return {
		reason: noResponseReason(clientError),
		advice: neverSent ? (settingsAdvice(clientError) ?? advice.neverSent) : advice.maybeSent,
		httpCode: error.httpCode ?? undefined,
		effect: run && (neverSent ? 'none' : 'maybe'),
		...(neverSent ? { cause: 'noConnection' as const } : { run }),
	};
}
