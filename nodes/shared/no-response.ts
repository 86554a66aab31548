import type { NodeApiError } from 'n8n-workflow';

import { credentialProblemOf } from './credential-error';
import { credentialFailure, type Failure, type RunData } from './failure';

/** Causes by the error code of n8n's client. The client's own messages may advise to resend the request, which can cost money. */
const CAUSES: Record<string, string> = {
	CERT_HAS_EXPIRED: 'its certificate has expired',
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
	SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
};

/** Patterns of messages and codes about a response that is not HTTP, or is not complete, with their meanings. Some have no code. */
const UNREADABLE: Array<[RegExp, string]> = [
	[/^Parse Error: Header overflow/, 'its headers are too large'],
	[/^Parse Error/, 'it is not HTTP'],
	[/:wrong version number:/, 'it is not HTTPS'],
	[/^stream has been aborted|^unexpected end of file/, 'it ended early'],
	[/^incorrect (data|header) check|^Decompression failed|\(Z_DATA_ERROR\)$/, 'its compressed data is corrupt'],
];

/** What is read of an error of n8n's client. */
type ClientError = { code?: unknown; message?: string };

function unreadableReason({ code, message }: ClientError, sender: string): string | undefined {
	const known = UNREADABLE.find(([pattern]) => pattern.test(`${message} (${String(code)})`));
	return known && `${sender.charAt(0).toUpperCase()}${sender.slice(1)} sent an unreadable response: ${known[1]}`;
}

/** Codes of failed attempts to connect, including the certificate check: the service received nothing. */
const NOT_SENT =
	/^(EAI_AGAIN|ECONNREFUSED|ENOTFOUND|(CERT_|DEPTH_ZERO_SELF_SIGNED_|ERR_TLS_CERT_|SELF_SIGNED_|UNABLE_TO_)\w+)$/;

/** Messages of n8n if it blocks internal addresses, and of OpenSSL if the server does not use TLS. */
const NOT_BEGUN = /The request was blocked because|:wrong version number:/;

/** Whether the service cannot have received anything, because there was no connection. */
export const isNeverSent = ({ code, message }: { code?: unknown; message: string }): boolean =>
	NOT_SENT.test(String(code)) || NOT_BEGUN.test(message);

/** The reason for no response from a sender, without a full stop; unknown errors keep their own message. */
export function noResponseReason(error: ClientError, sender = 'the service'): string {
	const cause = CAUSES[String(error.code)];
	if (cause) return `No response from ${sender}: ${cause}`;
	return unreadableReason(error, sender) ?? error.message ?? `No response from ${sender}`;
}

/** The reason why a response was not read to its end, without a full stop. Only connection errors have codes. */
export function brokenReason({ code, message = '' }: ClientError): string {
	const unreadable = unreadableReason({ code, message }, 'the service');
	if (unreadable) return unreadable;
	if (!code) return `The rest of the output could not be read: ${message}`;
	return `The connection to the service was lost during the run (${CAUSES[String(code)] ?? String(code)})`;
}

/**
 * The failure of a request without a response, because of its credential or of the network. It contains nothing from the error
 * of n8n's client, which includes the headers and the body of the request, and so the key and the cookies.
 *
 * @param run known data of the run that the request may have started
 */
export function noResponseFailure(cause: NodeApiError, advice: (isUnsent: boolean) => string, run?: RunData): Failure {
	const problem = credentialProblemOf(cause);
	if (problem) return { ...credentialFailure(problem), effect: run && 'none' };
	const { httpCode, message } = cause;
	const isUnsent = isNeverSent({ code: httpCode, message });
	return {
		reason: noResponseReason({ code: httpCode, message }),
		advice: advice(isUnsent),
		httpCode: httpCode ?? undefined,
		effect: run && (isUnsent ? 'none' : 'maybe'),
		...(isUnsent ? { cause: 'unsent' as const } : { run }),
	};
}
