// Requests a token for a user name and a password, and explains why there is none.

import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestHelper,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { CredentialError } from '../nodes/shared/failure/failure';
import { checkUrl, urlIn, userIn } from '../nodes/shared/http/credential';
import { bodyOf, readBody, Watchdog } from '../nodes/shared/http/watchdog';
import { noResponseReason, settingsAdvice, type ClientError } from '../nodes/shared/failure/response/no-response';
import { maskOf } from '../nodes/shared/mask/secrets';
import { adviceFor, reasonFor, type ServiceResponse } from '../nodes/shared/failure/response/service-failure';
import { isPage, hasError } from '../nodes/shared/failure/response/reason';
import { isChallenge } from '../nodes/shared/failure/response/retry-after';
import { shorten } from '../nodes/shared/values/text';

const TIMEOUT_MS = 60_000;

const MAX_MESSAGE_LENGTH = 1000;

const CHECK_USER = "Check 'User Name' and 'Password' in the credential";
const CHECK_URL =
	"Check 'Base URL' in the credential: the two URLs may be swapped. Tokens are requested from this URL plus /token";
const CHECK_REACH = "Check 'Base URL' in the credential, and that n8n can reach it";
const USE_KEY = 'This service does not accept a user name and a password. Use a credential with an API key';

/** The advice by errors of RFC 6749, section 5.2, of which the others mean an invalid request, and by status. */
const SIGN_IN_ADVICE: Array<[errorsOrStatuses: unknown[], advice: string]> = [
	[['invalid_grant', 400, 401, 422], CHECK_USER],
	[['invalid_client', 'unauthorized_client', 'unsupported_grant_type'], USE_KEY],
	[[403], "This user is not allowed to sign in. Ask your account administrator, and check 'Base URL'"],
	[[404, 405, 410], CHECK_URL],
];

const adviceOn = (errorOrStatus: unknown): string | undefined =>
	SIGN_IN_ADVICE.find(([known]) => known.includes(errorOrStatus))?.[1];

/** Services have names of their own for it (trinity#2322): `mfa_required`, `requires_two_factor`, `SMS_MFA`. */
const SECOND_FACTOR = /(?<![a-z])(?:mfa|2fa|t?otp)(?![a-z])|(?:two|second|multi)_?factor/i;

const WITHOUT_MEANING = /"\w+":(?:"?false"?|null|"")/g;

const requiresSecondFactor = (body: unknown): boolean =>
	SECOND_FACTOR.test((JSON.stringify(body) ?? '').replace(WITHOUT_MEANING, ''));

/** The characters of a header. n8n's client would silently drop others, and a cut token could be a wrong one. */
const SENDABLE = /^[!-~]+$/;

/**
 * Exchanges user name and password for a token (RFC 6749, section 4.3).
 *
 * @throws CredentialError without user name and password
 */
export async function requestToken(
	{ helpers }: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
): Promise<string> {
	const { username, password } = userIn(credentials);
	checkUrl(credentials, 'baseUrl', 'the password');
	const baseURL = urlIn(credentials, 'baseUrl');
	const body = new URLSearchParams({ grant_type: 'password', username, password });
	const response = await postToken(helpers, baseURL, body);

	const fields = Object(response.body) as Record<string, unknown>;
	const { access_token: token, token_type: type, error } = fields;
	const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
	const failure = (reason: string, advice: string) => new CredentialError(`Sign-in failed: ${reason}`, advice);
	if (isSuccess && typeof token === 'string' && token !== '') {
		if (!SENDABLE.test(token)) throw failure('the service returned a token that cannot be sent', USE_KEY);
		// RFC 6749 requires a type. Services that leave it out mean this one.
		if (/^(bearer)?$/i.test(String(type ?? '').trim())) return token;
		throw failure('the service returned a token of an unknown type', USE_KEY);
	}
	if (requiresSecondFactor(response.body)) {
		const advice = 'Use a credential with an API key, or a user without a second factor';
		throw failure('this user needs a second factor, which n8n cannot enter', advice);
	}
	const sentTo = { ...response, url: baseURL, path: '/token' };
	const reason = reasonFor({ ...sentTo, body: quotable(response, isSuccess), expected: 'a token' });
	const issued = Object.entries(fields).flatMap(([name, value]) => (/token$/i.test(name) ? value : []));
	const noTokenAdvice = isSuccess && !isChallenge(response.headers) ? CHECK_URL : undefined;
	const advice = adviceOn(error) ?? noTokenAdvice ?? adviceFor({ ...sentTo, advice: adviceOn(response.statusCode) });
	const mask = maskOf([password, body.toString().split('&password=')[1], ...issued]);
	throw failure(shorten(mask(reason.replace(/^The /, 'the ')), MAX_MESSAGE_LENGTH), advice);
}

/** n8n's client would read a response without a limit of bytes and time. */
async function postToken(
	helpers: IHttpRequestHelper['helpers'],
	baseURL: string,
	body: URLSearchParams,
): Promise<ServiceResponse> {
	const watchdog = new Watchdog({ idle: Infinity, total: TIMEOUT_MS });
	try {
		const response = (await helpers.httpRequest({
			baseURL,
			url: '/token',
			method: 'POST',
			headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
			body,
			encoding: 'stream',
			abortSignal: watchdog.signal,
			timeout: 0,
			returnFullResponse: true,
			// n8n would resend the password after a 401 and to the target of a redirect.
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		})) as IN8nHttpFullResponse;
		return { ...response, ...(await readBody(bodyOf(response.body), watchdog)) };
	} catch (error) {
		throw noTokenError(error as Error & ClientError, watchdog);
	} finally {
		watchdog.close();
	}
}

/** n8n's error contains the password, so the new one quotes nothing from it. */
function noTokenError(error: Error & ClientError, watchdog: Watchdog): CredentialError {
	if (error instanceof UserError) {
		const advice = "Check 'Base URL' and 'Allowed HTTP Request Domains' in the credential";
		return new CredentialError(error.message, advice);
	}
	const reason = watchdog.endReason('response') ?? noResponseReason(error);
	return new CredentialError(reason, settingsAdvice(error) ?? CHECK_REACH);
}

/** A successful response may contain tokens that n8n does not know. */
const quotable = ({ body }: ServiceResponse, isSuccess: boolean): unknown =>
	isSuccess && !isPage(body) && !hasError(body) ? '' : body;
