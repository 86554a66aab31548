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
const mailboxUris = {
	successRedirectUri: 'https://app.example.com/ok',
	errorRedirectUri: 'https://app.example.com/not-ok',
	allowedOrigin: 'https://app.example.com',
};

export const MINIMAL_COOKIE = { name: 'sid', value: 'value-of-sid', domain: '.example.com', path: '/', httpOnly: true };
export const FULL_COOKIE = {
	...MINIMAL_COOKIE,
	expirationDate: 1900000000.5,
	hostOnly: false,
	secure: true,
	session: false,
	storeId: '0',
	expires: 1900000000,
	partitionKey: 'https://example.com',
	sameSite: 'None',
};

const { name, value, domain, path, httpOnly, ...options } = FULL_COOKIE;

/** Every operation of the node. */
export const operations: TestedOperation[] = [
	{
		id: 'start_automation_run',
		resource: 'automationRun',
		operation: 'start',
		method: 'POST',
		path: '/api/anything/start',
		required: { query: 'Do it' },
		full: {
			query: 'Do it',
			threadId: THREAD,
			options: { model: 'large', reasoningEffort: 'high', version: 'v2' },
		},
		sends: {
			body: {
				query: 'Do it',
				thread_id: THREAD,
				detach: true,
				model: 'large',
				reasoningEffort: 'high',
				version: 'v2',
			},
		},
	},
	{
		id: 'create_mailbox_connect_token',
		resource: 'mailbox',
		operation: 'createConnectLink',
		method: 'POST',
		path: '/mailboxes/connect-token',
		required: mailboxUris,
		full: { ...mailboxUris, options: { provider: 'microsoft_outlook', mailboxId: 'mailbox-1' } },
		sends: {
			body: {
				success_redirect_uri: 'https://app.example.com/ok',
				error_redirect_uri: 'https://app.example.com/not-ok',
				allowed_origin: 'https://app.example.com',
				provider: 'microsoft_outlook',
				mailbox_id: 'mailbox-1',
			},
		},
	},
	{
		id: 'delete_mailbox',
		resource: 'mailbox',
		operation: 'delete',
		method: 'DELETE',
		path: '/mailboxes/mailbox-1',
		required: { mailboxId: 'mailbox-1' },
		full: { mailboxId: 'mailbox-1' },
		sends: {},
	},
	{
		id: 'connect_payment_wallet',
		resource: 'payment',
		operation: 'connectWallet',
		method: 'POST',
		path: '/payments/connect',
		required: {},
		full: { mode: 'test', options: { requestOrigin: 'workflow-7', sdkVersion: '1.9.2' } },
		sends: {
			body: { mode: 'test' },
			headers: { 'x-service-request-origin': 'workflow-7', 'x-service-sdk-version': '1.9.2' },
		},
	},
	{
		id: 'set_profile_cookies',
		resource: 'profile',
		operation: 'setCookies',
		method: 'POST',
		path: '/profiles/profile-1/cookies',
		required: { profileId: 'profile-1', cookiesJson: JSON.stringify([MINIMAL_COOKIE]) },
		full: {
			profileId: 'profile-1',
			cookiesFrom: 'fields',
			cookies: { cookie: [{ name, value, domain, path, httpOnly, options }] },
			options: { mode: 'append', sourceFormat: 'chrome' },
		},
		sends: { body: { cookies: [FULL_COOKIE], mode: 'append', source_format: 'chrome' } },
	},
	{
		id: 'delete_secret',
		resource: 'secret',
		operation: 'delete',
		method: 'DELETE',
		path: '/secrets/sec_1',
		required: { id: 'sec_1' },
		full: { id: 'sec_1' },
		sends: {},
	},
	{
		id: 'get_secret',
		resource: 'secret',
		operation: 'get',
		method: 'GET',
		path: '/secrets/team%2Fshop%20key%20100%25%3F%23%C3%A9',
		required: { name: 'team/shop key 100%?#é', namespace: 'function_env' },
		full: { name: 'team/shop key 100%?#é', namespace: 'function_env' },
		sends: { query: { namespace: 'function_env' } },
	},
	{
		id: 'get_session_replay',
		resource: 'session',
		operation: 'getReplay',
		method: 'GET',
		path: '/sessions/session-1/replay',
		required: { sessionId: 'session-1' },
		full: {
			sessionId: 'session-1',
			waitForRecording: true,
			maximumWait: 10,
			downloadVideo: true,
			videoField: 'film',
			savePlaylist: true,
			playlistField: 'list',
		},
		sends: {},
	},
	{
		id: 'get_session_script',
		resource: 'session',
		operation: 'getScript',
		method: 'GET',
		path: '/sessions/session-1/workflow/code',
		required: { sessionId: 'session-1' },
		full: {
			sessionId: 'session-1',
			asWorkflow: false,
			splitIntoItems: true,
			addScriptFile: true,
			scriptField: 'file',
			options: { inferResponseFormat: true },
		},
		sends: { query: { as_workflow: 'false', infer_response_format: 'true' } },
	},
	{
		id: 'search_web',
		resource: 'web',
		operation: 'search',
		method: 'POST',
		path: '/search',
		required: { searchQuery: 'library hours' },
		full: {
			searchQuery: 'library hours',
			splitIntoItems: true,
			options: {
				additionalBodyFields: '{"maxResults": 2, "includeDomains": ["example.com"]}',
				depth: 'deep',
				outputType: 'searchResults',
			},
		},
		sends: {
			body: {
				q: 'library hours',
				depth: 'deep',
				outputType: 'searchResults',
				maxResults: 2,
				includeDomains: ['example.com'],
			},
		},
	},
];
