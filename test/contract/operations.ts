import type { INodeParameters } from 'n8n-workflow';

/** An operation of the node, with forms that a test fills in. */
export interface TestedOperation {
	/** The operation of test/service/openapi.json. */
	id: string;
	resource: string;
	operation: string;
	/** Only the fields that are required. */
	required: INodeParameters;
	/** Every field. */
	full: INodeParameters;
	/** What the full form sends. */
	sends: { body?: unknown; query?: Record<string, string>; headers?: Record<string, string> };
}

const thread = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
const model = { model: 'large', reasoningEffort: 'high', version: 'v2' };

const [ok, notOk, origin] = ['https://app.example.com/ok', 'https://app.example.com/not-ok', 'https://app.example.com'];
const links = { successRedirectUri: ok, errorRedirectUri: notOk, allowedOrigin: origin };
const sentLinks = { success_redirect_uri: ok, error_redirect_uri: notOk, allowed_origin: origin };

const sdk = { requestOrigin: 'workflow-7', sdkVersion: '1.9.2' };
const sdkHeaders = { 'x-service-request-origin': 'workflow-7', 'x-service-sdk-version': '1.9.2' };

export const MINIMAL_COOKIE = { name: 'sid', value: 'value-of-sid', domain: '.example.com', path: '/', httpOnly: true };
const FULL_COOKIE = {
	...MINIMAL_COOKIE,
	...{ expirationDate: 1900000000.5, expires: 1900000000, hostOnly: false, secure: true, session: false },
	...{ storeId: '0', partitionKey: 'https://example.com', sameSite: 'None' },
};
const { name, value, domain, path, httpOnly, ...options } = FULL_COOKIE;
const cookies = { cookie: [{ name, value, domain, path, httpOnly, options }] };

const choices = { depth: 'deep', outputType: 'searchResults' };
const more = { maxResults: 2, includeDomains: ['example.com'] };

/** An operation by its name in the document and in the node, with its forms: the required fields, and those beside them. */
function tested(
	name: string,
	required: INodeParameters,
	others: INodeParameters = {},
	sends: TestedOperation['sends'] = {},
): TestedOperation {
	const [id, resource, operation] = name.split(' ');
	return { id, resource, operation, required, full: { ...required, ...others }, sends };
}

export const operations: TestedOperation[] = [
	tested(
		'start_automation_run automationRun start',
		{ query: 'Do it' },
		{ threadId: thread, options: { ...model, additionalBodyFields: '{}' } },
		{ body: { query: 'Do it', thread_id: thread, detach: true, ...model } },
	),
	tested(
		'create_mailbox_connect_token mailbox createConnectLink',
		links,
		{ provider: 'microsoft_outlook', options: { mailboxId: 'mailbox-1' } },
		{ body: { ...sentLinks, provider: 'microsoft_outlook', mailbox_id: 'mailbox-1' } },
	),
	tested('delete_mailbox mailbox delete', { mailboxId: 'mailbox-1' }),
	tested(
		'connect_payment_wallet payment connectWallet',
		{},
		{ mode: 'test', options: sdk },
		{ body: { mode: 'test' }, headers: sdkHeaders },
	),
	tested(
		'set_profile_cookies profile setCookies',
		{ profileId: 'profile-1', cookiesJson: JSON.stringify([MINIMAL_COOKIE]) },
		{ cookiesFrom: 'fields', cookies, existingCookies: 'append', options: { sourceFormat: 'chrome' } },
		{ body: { cookies: [FULL_COOKIE], mode: 'append', source_format: 'chrome' } },
	),
	tested('delete_secret secret delete', { id: 'sec_1' }),
	tested(
		'get_secret secret get',
		{ name: 'team/shop key 100%?#é', namespace: 'function_env' },
		{},
		{ query: { namespace: 'function_env' } },
	),
	tested(
		'get_session_replay session getReplay',
		{ sessionId: 'session-1' },
		{
			...{ waitForRecording: true, maximumWait: 10, downloadVideo: true, videoField: 'film' },
			options: { idleTimeout: 30, maxVideoSize: 1 },
		},
	),
	tested(
		'get_session_script session getScript',
		{ sessionId: 'session-1' },
		{
			...{ asWorkflow: false, splitIntoItems: true, addScriptFile: true, scriptField: 'file' },
			options: { inferResponseFormat: true },
		},
		{ query: { as_workflow: 'false', infer_response_format: 'true' } },
	),
	tested(
		'search_web web search',
		{ searchQuery: 'library hours' },
		{ splitIntoItems: true, options: { additionalBodyFields: JSON.stringify(more), ...choices } },
		{ body: { q: 'library hours', ...choices, ...more } },
	),
];
