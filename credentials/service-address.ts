import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { findUrlProblem } from '../nodes/addresses/service-url';
import { CredentialError } from '../nodes/token/credential-error';
import type { CredentialUse, RequestWithUse } from '../nodes/token/credential-use';
import { addressIn, trimAddress } from '../nodes/token/credential-values';

/** The field with the address of the main interface. */
export const baseUrlField = (hint: string): INodeProperties => ({
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. https://api.example.com',
	hint,
});

/** The field with the address of the automation builder. */
export const automationUrlField = (change: Pick<INodeProperties, 'hint' | 'required'>): INodeProperties => ({
	displayName: 'Automation URL',
	name: 'automationUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://automation.example.com',
	...change,
});

/**
 * The field that lets secrets travel over http://.
 *
 * @param secret what would travel, for the sentence
 */
export const allowUnencryptedField = (secret: string): INodeProperties => ({
	displayName: 'Allow Unencrypted Connections',
	name: 'allowUnencrypted',
	type: 'boolean',
	default: false,
	description: `Whether to allow http:// addresses other than this machine. Anyone between n8n and the service can then read ${secret}. Turn on only in a private network that you trust.`,
});

type TestOptions = Partial<ICredentialTestRequest['request']> & { credentialUse: CredentialUse };

/**
 * What the request of a connection test has besides its address and body: the status that proves the credential counts as
 * success, and every status that means a wrong secret or address is an error.
 */
export const testOptions = (address: CredentialUse['address']): TestOptions => ({
	credentialUse: { address, isTest: true },
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: {
		ignore: true,
		except: [301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 429, 500, 501, 502, 503, 504, 529],
	},
});

/**
 * The rules of a connection test. n8n shows the message of the first that matches.
 *
 * @param byStatus messages by the status of the response
 * @param field what every response that proves the credential has
 * @param message for a response without it
 */
export const testRules = (byStatus: Record<number, string>, field: string, message: string) =>
	[
		...Object.entries(byStatus).map(([status, text]) => ({
			type: 'responseCode',
			properties: { value: Number(status), message: text },
		})),
		{ type: 'responseSuccessBody', properties: { key: field, value: undefined, message } },
		// The type knows lists of one kind of rule only; n8n reads each rule by its own type.
	] as ICredentialTestRequest['rules'];

/**
 * Adds a bearer key or token to a request. A request of a node goes to the address in the same credential: n8n itself
 * reads the address for the first item only, so that expressions would send the key of one item to the address of another.
 *
 * @param secret what the bearer is called in sentences
 * @throws an error that names the field, if the address would carry the secret unencrypted or is not an address
 */
export function addBearer(
	credentials: ICredentialDataDecryptedObject,
	{ credentialUse, ...given }: RequestWithUse,
	bearer: string,
	secret: string,
): IHttpRequestOptions {
	const request = credentialUse ? withAddress(given, addressIn(credentials, credentialUse.address)) : given;
	const { baseURL } = request;
	// Without a base URL the request comes from n8n's HTTP Request node: its address may hold a query, and is called
	// `uri` in the older kind of request that this node still sends.
	const { url, uri } = request as { url?: string; uri?: string };
	const target = baseURL === undefined ? (url ?? uri ?? '').replace(/[?#].*$/s, '') : trimAddress(baseURL);
	const name = credentialUse ? NAMES[credentialUse.address] : nameOf(target, credentials);
	checkAddress(credentials, target, name, secret);
	return {
		...request,
		...(baseURL === undefined ? {} : { baseURL: target }),
		headers: { ...request.headers, Authorization: `Bearer ${bearer}` },
	};
}

/**
 * Refuses an address to which a secret must not be sent.
 *
 * @param name what the address is called in sentences
 * @param secret what the secret is called in sentences
 */
export function checkAddress(
	{ allowUnencrypted }: ICredentialDataDecryptedObject,
	address: string,
	name: string,
	secret: string,
): void {
	const problem = findUrlProblem(address, name, allowUnencrypted === true, secret);
	if (problem) throw new CredentialError(problem.reason, problem.advice);
}

/** The request with another base URL, whose host joins the *Allowed HTTP Request Domains* as n8n adds the first item's. */
function withAddress(request: IHttpRequestOptions, baseURL: string): IHttpRequestOptions {
	const { allowedDomains } = request;
	if (allowedDomains === undefined || baseURL === trimAddress(request.baseURL) || !URL.canParse(baseURL)) {
		return { ...request, baseURL };
	}
	return { ...request, baseURL, allowedDomains: `${new URL(baseURL).hostname}, ${allowedDomains}` };
}

const NAMES = { automationUrl: 'Automation URL', baseUrl: 'Base URL' };

function nameOf(address: string, credentials: ICredentialDataDecryptedObject): string {
	if (address === addressIn(credentials, 'automationUrl')) return NAMES.automationUrl;
	if (address === addressIn(credentials, 'baseUrl')) return NAMES.baseUrl;
	return 'The address';
}
