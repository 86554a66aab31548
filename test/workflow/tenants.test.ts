import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { operations } from '../contract/operations';
import {
	BROWSER_AUTOMATION,
	everythingOf,
	RUN_AUTOMATION,
	RUN_FORMS,
	runNode,
	type NodeRunOptions,
} from '../engine/run-node';
import { events, streamHeaders } from '../engine/serve-stream';
import type { Service } from '../service/service';
import { answering } from '../support/answering';
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
	const full = [
		...operations.map(({ resource, operation, full: form }) => [BROWSER_AUTOMATION, { resource, operation, ...form }]),
		...RUN_FORMS.map((form) => [RUN_AUTOMATION, { ...form, query: 'quick task' }]),
	] as Array<[string, INodeParameters]>;

	it.each(full)('sends each key to its own URL only (%s %j)', async (type, parameters) => {
		const { items, error } = await run(type, parameters);
		expect(error).toBeUndefined();
		expect(items.filter(({ json }) => json.error)).toEqual([]);
		for (const tenant of tenants) {
			expect(received(tenant)).toEqual([`Bearer ${tenant.apiKey}`]);
			expect(tenant.requests).toHaveLength(tenants[0].requests.length);
		}
	});

	const task = { operation: 'result', query: 'quick task' };
	const search = { resource: 'web', operation: 'search', searchQuery: 'library hours', splitIntoItems: false };
	const searchWithToken = { authentication: 'oAuth2Password', ...search };

	it('sends each password and each token to its own URL only, and renews the tokens of both', async () => {
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

	const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };
	const url = (baseUrl: string) => ({ baseUrl, automationUrl: baseUrl });
	const secret = (text: string) => ({ apiKey: text, user: { ...ANN, password: text } });
	const wrong: Array<[object, RegExp]> = [
		[url('http://e.co'), /^'(Base|Automation) URL' starts with http:\/\//],
		[secret(''), /^'(API Key|Password)' is empty$/],
		[secret('{{ $json.x }}'), /^'(API Key|Password)' contains an expression that is not evaluated$/],
	];
	it.each(
		[search, searchWithToken, start, { ...task, operation: 'background' }].flatMap((form) =>
			wrong.map(([change, message]): [INodeParameters, object, RegExp] => [form, change, message]),
		),
	)("that is wrong for the last item stops the node before others' requests: %j %j", async (form, change, message) => {
		const input = [itemOf(tenants[0]), itemOf(tenants[0]), itemOf(tenants[0], change)];
		const { error } = await run(form.resource ? BROWSER_AUTOMATION : RUN_AUTOMATION, form, { input, node: {} });
		expect(error?.message).toMatch(message);
		expect(tenants[0].requests).toEqual([]);
	});

	it.each([
		['key', search],
		['token', searchWithToken],
	])('masks the %s of every item if a server repeats it', async (_name, parameters) => {
		const { baseUrl } = await answering(({ path, headers, body }) => {
			const user = new URLSearchParams(body).get('username');
			return path === '/token' ? [200, { access_token: `token-of-${user}` }] : [400, { detail: headers.authorization }];
		});
		const input = tenants.map((tenant) => itemOf(tenant, { baseUrl }));
		const { items } = await run(BROWSER_AUTOMATION, parameters, { input });
		expect(items.map(({ json }) => json.error)).toEqual(['Bearer ***', 'Bearer ***']);
	});

	it.each<[string, INodeParameters]>([
		[RUN_AUTOMATION, { ...task, options: { waitIfBusy: 0 } }],
		[BROWSER_AUTOMATION, { ...start, threadId: '={{ $json.thread }}' }],
	])('masks the key of the item whose rejection ends the others (%s)', async (type, parameters) => {
		const busy = { 'retry-after': '500' };
		const { baseUrl, automationUrl } = await answering(({ headers }) => [429, { detail: headers.authorization }, busy]);
		const threads = ['aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb', 'cccccccc-1111-4222-8333-bbbbbbbbbbbb'];
		const input = tenants.map((tenant, item) => itemOf(tenant, { baseUrl, automationUrl, thread: threads[item] }));
		const { items } = await run(type, parameters, { input });
		expect(items.map(({ json }) => json.error)).toEqual(['Bearer ***', 'Bearer ***']);
		expect(JSON.stringify(items[0])).not.toContain(threads[1]);
	});

	it('masks the keys of all items in the error that stops the node', async () => {
		const { automationUrl } = await answering(({ headers }) => {
			const key = headers.authorization!.slice('Bearer '.length);
			const last = key === tenants[1].apiKey ? { type: 'error', errorText: `No, ${key}` } : { type: 'finish' };
			return [200, events(last), streamHeaders(key)];
		});
		const input = tenants.map((tenant) => itemOf(tenant, { automationUrl }));
		const { error } = await run(RUN_AUTOMATION, task, { input, node: {} });
		expect((error!.context.data as IDataObject).runs).toHaveLength(2);
		expect(everythingOf(error)).toContain('No, ***');
		for (const { apiKey } of tenants) expect(everythingOf(error)).not.toContain(apiKey);
	});
});
