import type { INodeParameters } from 'n8n-workflow';

/** An operation of the node, with forms that a test fills in. */
export interface TestedOperation {
	/** The operation of test/service/openapi.json. */
	id: string;
	resource: string;
	operation: string;
	method: string;
	/** Path of a request with the forms below. */
	path: string;
	/** Only the fields that are required. */
	required: INodeParameters;
	/** Every field. */
	full: INodeParameters;
	/** What the full form sends. */
	sends: { body?: unknown; query?: Record<string, string>; headers?: Record<string, string> };
}

const THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
const [ok, notOk, origin] = ['https://app.example.com/ok', 'https://app.example.com/not-ok', 'https://app.example.com'];
const links = { successRedirectUri: ok, errorRedirectUri: notOk, allowedOrigin: origin };

export const MINIMAL_COOKIE = { name: 'sid', value: 'value-of-sid', domain: '.example.com', path: '/', httpOnly: true };
export const FULL_COOKIE = {
	...MINIMAL_COOKIE,
	...{ expirationDate: 1900000000.5, expires: 1900000000, hostOnly: false, secure: true, session: false },
	...{ storeId: '0', partitionKey: 'https://example.com', sameSite: 'None' },
};

const { name, value, domain, path, httpOnly, ...options } = FULL_COOKIE;

/** An operation with its request, such as `GET /secrets/x`, and its forms; without a second one the first is full. */
function tested(
	id: string,
	name: string,
	request: string,
	required: INodeParameters,
	full: INodeParameters = required,
	sends: TestedOperation['sends'] = {},
): TestedOperation {
	const [resource, operation] = name.split(' ');
	const [method, path] = request.split(' ');
	return { id, resource, operation, method, path, required, full, sends };
}

/** Every operation of the node. */
export const operations: TestedOperation[] = [
	tested(
		'start_automation_run',
		'automationRun start',
		'POST /api/anything/start',
		{ query: 'Do it' },
		{ query: 'Do it', threadId: THREAD, options: { model: 'large', reasoningEffort: 'high', version: 'v2' } },
		{
			body: { query: 'Do it', thread_id: THREAD, detach: true, model: 'large', reasoningEffort: 'high', version: 'v2' },
		},
	),
	tested(
		'create_mailbox_connect_token',
		'mailbox createConnectLink',
		'POST /mailboxes/connect-token',
		links,
		{ ...links, options: { provider: 'microsoft_outlook', mailboxId: 'mailbox-1' } },
		{
			body: {
				...{ success_redirect_uri: ok, error_redirect_uri: notOk, allowed_origin: origin },
				...{ provider: 'microsoft_outlook', mailbox_id: 'mailbox-1' },
			},
		},
	),
	tested('delete_mailbox', 'mailbox delete', 'DELETE /mailboxes/mailbox-1', { mailboxId: 'mailbox-1' }),
	tested(
		'connect_payment_wallet',
		'payment connectWallet',
		'POST /payments/connect',
		{},
		{ mode: 'test', options: { requestOrigin: 'workflow-7', sdkVersion: '1.9.2' } },
		{ body: { mode: 'test' }, headers: { 'x-service-request-origin': 'workflow-7', 'x-service-sdk-version': '1.9.2' } },
	),
	tested(
		'set_profile_cookies',
		'profile setCookies',
		'POST /profiles/profile-1/cookies',
		{ profileId: 'profile-1', cookiesJson: JSON.stringify([MINIMAL_COOKIE]) },
		{
			profileId: 'profile-1',
			cookiesFrom: 'fields',
			cookies: { cookie: [{ name, value, domain, path, httpOnly, options }] },
			options: { mode: 'append', sourceFormat: 'chrome' },
		},
		{ body: { cookies: [FULL_COOKIE], mode: 'append', source_format: 'chrome' } },
	),
	tested('delete_secret', 'secret delete', 'DELETE /secrets/sec_1', { id: 'sec_1' }),
	tested(
		'get_secret',
		'secret get',
		'GET /secrets/team%2Fshop%20key%20100%25%3F%23%C3%A9',
		{ name: 'team/shop key 100%?#é', namespace: 'function_env' },
		undefined,
		{ query: { namespace: 'function_env' } },
	),
	tested(
		'get_session_replay',
		'session getReplay',
		'GET /sessions/session-1/replay',
		{ sessionId: 'session-1' },
		{
			...{ sessionId: 'session-1', waitForRecording: true, maximumWait: 10 },
			...{ downloadVideo: true, videoField: 'film', savePlaylist: true, playlistField: 'list' },
		},
	),
	tested(
		'get_session_script',
		'session getScript',
		'GET /sessions/session-1/workflow/code',
		{ sessionId: 'session-1' },
		{
			...{ sessionId: 'session-1', asWorkflow: false, splitIntoItems: true },
			...{ addScriptFile: true, scriptField: 'file', options: { inferResponseFormat: true } },
		},
		{ query: { as_workflow: 'false', infer_response_format: 'true' } },
	),
	tested(
		'search_web',
		'web search',
		'POST /search',
		{ searchQuery: 'library hours' },
		{
			searchQuery: 'library hours',
			splitIntoItems: true,
			options: {
				additionalBodyFields: '{"maxResults": 2, "includeDomains": ["example.com"]}',
				...{ depth: 'deep', outputType: 'searchResults' },
			},
		},
		{
			body: {
				...{ q: 'library hours', depth: 'deep', outputType: 'searchResults' },
				...{ maxResults: 2, includeDomains: ['example.com'] },
			},
		},
	),
];
