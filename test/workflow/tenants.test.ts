/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { text } from 'node:stream/consumers';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, RUN_AUTOMATION, RUN_FORMS, runNode, type NodeRunOptions } from '../engine/run-node';
import type { Service } from '../service/service';
import { serve } from '../support/serve';
import { useService } from '../support/use-service';

const ANN = { username: 'ann@example.com', password: 'password of ann' };
const BOB = { username: 'bob@example.com', password: 'password of bob' };

const tenants = [useService(ANN, 'key-of-tenant-one'), useService(BOB, 'key-of-tenant-two')];

/** A credential whose fields hold expressions: each item says whose values they are. */
const perItem = {
	baseUrl: '={{ $json.baseUrl }}',
	automationUrl: '={{ $json.automationUrl }}',
	apiKey: '={{ $json.apiKey }}',
	user: { username: '={{ $json.user.username }}', password: '={{ $json.user.password }}' },
};

const itemOf = ({ baseUrl, automationUrl, apiKey, user }: Service, change: object = {}): INodeExecutionData => ({
	json: { baseUrl, automationUrl, apiKey, user: { ...user }, ...change },
});

/** Items of both tenants in turn, as many of each as said. */
const inTurn = (count: number) => Array.from({ length: count }, () => tenants.map((tenant) => itemOf(tenant))).flat();

const run = async (type: string, parameters: INodeParameters, { input = inTurn(1), ...options }: NodeRunOptions = {}) =>
	await runNode(type, perItem, parameters, { input, node: { onError: 'continueRegularOutput' }, ...options });

/** The secrets that a tenant's server has received, each once. */
const received = ({ requests }: Service) => {
	const withSecret = requests.filter(({ path }) => !path.startsWith('/files/') && !path.endsWith('/token'));
	return [...new Set(withSecret.map(({ headers }) => headers.authorization))];
};

describe('a credential with expressions', () => {
	const full: Array<[string, INodeParameters]> = [
		...operations.map((tested): [string, INodeParameters] => {
			const { resource, operation } = tested;
			return [BROWSER_AUTOMATION, { resource, operation, ...tested.full }];
		}),
		...RUN_FORMS.map((form): [string, INodeParameters] => [RUN_AUTOMATION, { ...form, query: 'quick task' }]),
	];

	it.each(full)('sends each key to its own address only (%s %j)', async (type, parameters) => {
		const { items, error } = await run(type, parameters);
		expect(error).toBeUndefined();
		expect(items.filter(({ json }) => json.error)).toEqual([]);
		for (const tenant of tenants) {
			expect(received(tenant)).toEqual([`Bearer ${tenant.apiKey}`]);
			expect(tenant.requests).toHaveLength(tenants[0].requests.length);
		}
	});

	const search = { resource: 'web', operation: 'search', searchQuery: 'library hours', splitIntoItems: false };
	const searchWithToken = { authentication: 'oAuth2Password', ...search };

	it('sends each password and each token to its own address only, and renews the tokens of both', async () => {
		for (const { tokens } of tenants) tokens.uses = 2;
		const { items } = await run(BROWSER_AUTOMATION, searchWithToken, { input: inTurn(4) });
		expect(items.filter(({ json }) => json.error)).toEqual([]);
		for (const tenant of tenants) {
			const requests = tenant.requests.filter(({ path }) => path.endsWith('/token'));
			const passwords = requests.map(({ body }) => new URLSearchParams(String(body)).get('password'));
			expect(passwords).toEqual(Array(2).fill(tenant.user.password));
			expect(received(tenant)).toEqual(tenant.tokens.issued.map((token) => `Bearer ${token}`));
		}
	});

	it('masks the key of the item if a server repeats it', async () => {
		const wrong = tenants.map((tenant, index) => itemOf(tenant, { apiKey: `wrong-key-${index}` }));
		const { items } = await run(BROWSER_AUTOMATION, search, { input: wrong });
		expect(JSON.stringify(items)).not.toMatch(/wrong-key/);
		expect(tenants.map(received)).toEqual([['Bearer wrong-key-0'], ['Bearer wrong-key-1']]);
	});

	it('refuses an address without sending anything elsewhere', async () => {
		const [one, two] = tenants;
		const input = [itemOf(one), itemOf(two, { baseUrl: 'not an address' }), itemOf(two, { baseUrl: '' })];
		const errors = (await run(BROWSER_AUTOMATION, search, { input })).items.map(({ json }) => json.error);
		expect(errors).toEqual([undefined, 'Base URL does not start with https://', 'Base URL is empty']);
		expect(tenants.map(received)).toEqual([[`Bearer ${one.apiKey}`], []]);
	});

	it.each([
		['Browser Automation', BROWSER_AUTOMATION, search],
		['Run Automation', RUN_AUTOMATION, { operation: 'result', query: 'quick task' }],
	])('refuses a key that cannot be sent, and sends the others (%s)', async (_name, type, parameters) => {
		const [one, two] = tenants;
		const input = [itemOf(one, { apiKey: 'key\u2026' }), itemOf(two), itemOf(one, { apiKey: 'Bearer ' })];
		const { items } = await run(type, parameters, { input });
		const errors = items.map(({ json }) => json.error);
		expect(errors).toEqual(['API Key contains invalid characters', undefined, 'API Key is empty']);
		expect(JSON.stringify(items)).not.toMatch(/thread_id":null|look for it/);
		expect(tenants.map(received)).toEqual([[], [`Bearer ${two.apiKey}`]]);
	});

	it('masks the token of every item if a server repeats it', async () => {
		const { url: baseUrl, stop } = await serve(async (request, response) => {
			const user = new URLSearchParams(await text(request)).get('username');
			const isToken = request.url === '/token';
			const body = isToken ? { access_token: `token-of-${user}` } : { detail: request.headers.authorization };
			response.writeHead(isToken ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		});
		const input = tenants.map((tenant) => itemOf(tenant, { baseUrl }));
		const { items } = await run(BROWSER_AUTOMATION, searchWithToken, { input });
		await stop();
		expect(items.map(({ json }) => json.error)).toEqual(['Bearer ***', 'Bearer ***']);
	});

	it('shows a tenant without a token its own reason, and serves the other', async () => {
		const [one, two] = tenants;
		const input = [itemOf(one, { user: { ...ANN, password: 'wrong' } }), itemOf(two), itemOf(two)];
		const { items } = await run(BROWSER_AUTOMATION, searchWithToken, { input });
		const reason = 'Sign-in failed: Incorrect user name or password (invalid_grant)';
		expect(items.map(({ json }) => json.error)).toEqual([reason, undefined, undefined]);
		expect(received(one)).toEqual([]);
	});
});
