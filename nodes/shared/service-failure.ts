import { counted, quoted } from './text';
import { parseUrl } from './url';
import { isBusy, requestedWait } from './busy';
import type { Failure, RunData } from './failure';
import { readReason, type Labels } from './reason';

/** The parts of an HTTP response that an error is made from. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** As parsed by n8n, or as text. */
	body: unknown;
	/** The expected body, if the status is a success but the body is not. */
	expected?: string;
	/** The label, in the credential, of the URL that responded. */
	urlLabel?: 'Automation URL' | 'Base URL';
	/** What to do next, if the endpoint allows better advice than the status. */
	advice?: string;
	/** Form labels of the fields that the service may name. */
	labels?: Labels;
}

const ADVICE: Record<number, string> = {
	401: "Check 'API Key' in the credential: it may be mistyped, expired, or revoked",
	402: 'Check the plan and balance of your account',
	403: "Grant the API key the missing permission in the service's web console",
	408: 'The service timed out. Try again later',
	409: 'The current state does not allow this. Check it in the web console, then try again',
	410: 'It no longer exists. Enter a different ID',
	413: 'Send less data at a time',
};

/** The meaning of a status, if the service gives no reason. */
const MEANING: Record<number, string> = {
	413: 'The request is too large',
	429: 'Too many requests',
	529: 'The service is overloaded',
};

const isRedirect = (statusCode: number): boolean => statusCode >= 300 && statusCode < 400;

/** Units of time, each used from two of it on. */
const UNITS: Array<[name: string, milliseconds: number]> = [
	['hour', 3_600_000],
	['minute', 60_000],
];

function waitAdvice(headers: ServiceResponse['headers']): string {
	const milliseconds = requestedWait(headers);
	if (milliseconds === undefined) return 'Try again in a few minutes';
	const [unit, length] = UNITS.find(([, one]) => milliseconds > 2 * one) ?? ['second', 1000];
	const count = Math.ceil(milliseconds / length);
	return `Try again in ${counted(count, unit)}`;
}

const FROM_PROXY = 'A proxy or firewall rejected the request, not the service. Allow the request there';

/** The next step, by the status and the headers of a response. */
export function adviceFor(response: ServiceResponse): string {
	const { statusCode, headers, body, urlLabel = 'Base URL', advice } = response;
	if (statusCode === 403 && readReason(body).page) return FROM_PROXY;
	if (advice) return advice;
	if (isBusy(statusCode)) return waitAdvice(headers);
	if (isRedirect(statusCode)) {
		return `To protect your credential, redirects are not followed. Set ${quoted(urlLabel)} in the credential to the new URL`;
	}
	if (ADVICE[statusCode]) return ADVICE[statusCode];
	if (statusCode >= 500) return 'The service is temporarily unavailable. Try again later';
	if (statusCode >= 400 && ![404, 405].includes(statusCode)) return 'Correct the fields of this node';
	return `Check that ${quoted(urlLabel)} in the credential points to the service`;
}

/** The service's own reason for a rejection, or a description of the response. */
export function reasonFor({ statusCode, headers, body, expected, labels }: ServiceResponse): string {
	if (isRedirect(statusCode)) {
		const origin = parseUrl(String(headers.location))?.origin;
		return `The service redirected the request to ${origin ?? 'another URL'}`;
	}
	const { reason, page } = readReason(body, labels);
	if (reason) return reason;
	const status = `(status ${statusCode})`;
	if (page) return `The service returned ${page} ${status}`;
	if (expected && statusCode < 300)
		return `The service returned ${String(headers['content-type'] ?? 'an unknown type')} instead of ${expected} ${status}`;
	const meaning = MEANING[statusCode];
	return meaning ? `${meaning} ${status}` : `The service returned status ${statusCode} without a reason`;
}

/** The failure of an unexpected response. Of its body, only the reason is kept. */
export function serviceFailure(response: ServiceResponse, run?: RunData): Failure {
	const advice = adviceFor(response);
	const isTemporary = [408, 429].includes(response.statusCode) || response.statusCode >= 500;
	return {
		reason: reasonFor(response),
		advice,
		...(isTemporary && { adviceForAgent: advice }),
		httpCode: String(response.statusCode),
		run,
	};
}
