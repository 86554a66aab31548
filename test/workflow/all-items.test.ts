import type { INodeParameters } from 'n8n-workflow';

import { everythingOf, operate } from '../engine/run-node';
import { operations } from '../contract/operations';
import { letRead } from '../support/let-read';
import { serve } from '../support/serve';
import { useService } from '../support/use-service';

// What concerns Browser Automation as a whole, whatever its operation is.

const service = useService({ username: 'anna', password: 'open-sesame-7' });
const search = { resource: 'web', operation: 'search', searchQuery: '={{ "q" + $json.n }}' };
const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const json = { 'content-type': 'application/json' };

describe('a person who may only use the credential', () => {
	/** Ways to read `$credentials`: by itself, as a whole for a second evaluation, in an error, and in an inner expression. */
	const ways = [
		'$credentials.apiKey || $credentials.password || $credentials.accessToken',
		'$execution.customData.get("k") || ($execution.customData.set("k", JSON.stringify($credentials)) && "x") || "x"',
		'$($credentials.apiKey ?? $credentials.password).first()',
		"$evaluateExpression('{{ $credentials.apiKey }}{{ $credentials.password }}') || $getWorkflowStaticData?.('global').k",
	];
	/** The form with an expression in the place of each value, wherever it stands. */
	const placesIn = (value: unknown): Array<(text: string) => unknown> => {
		if (typeof value !== 'object' || value === null) return [(text) => text];
		return Object.entries(value).flatMap(([name, inner]) =>
			placesIn(inner).map(
				(put) => (text: string) =>
					Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: put(text) }),
			),
		);
	};
	const forms = operations.flatMap(({ resource, operation, full, required }) =>
		['apiKey', 'oAuth2Password'].map((authentication): [string, INodeParameters, Array<(text: string) => unknown>] => [
			`${resource} ${operation}, ${authentication}`,
			{ resource, operation, authentication },
			[...placesIn(full), ...placesIn(required)],
		]),
	);

	it.each(forms)('gets no key, password or token by an expression in any field: %s', async (_name, fixed, places) => {
		const log = jest.spyOn(console, 'log').mockImplementation();
		expect(places.length).toBeGreaterThan(0);
		for (const put of places) {
			for (const way of ways) {
				const form = put(`={{ ${way} }}`) as INodeParameters;
				// What earlier runs sent and got was looked at then.
				const [sentBefore, issuedBefore] = [service.requests.length, service.tokens.issued.length];
				log.mockClear();
				const { items: got, errorItems, error, hints, run } = await operate(service, { ...fixed, ...form });
				const text = everythingOf([got, errorItems, error, hints, run.data.resultData, log.mock.calls]);
				const requests = service.requests.slice(sentBefore).filter(({ path }) => !path.endsWith('/token'));
				const sent = JSON.stringify(requests.map(({ path, query, body }) => [path, query, body]));
				const secrets = [service.apiKey, service.user.password, ...service.tokens.issued.slice(issuedBefore)];
				const found = secrets.map((secret) => [secret, text.includes(secret), sent.includes(secret)]);
				expect(found).toEqual(secrets.map((secret) => [secret, false, false]));
			}
		}
		log.mockRestore();
	});
});

it('several items are sent ten at a time, and returned in their order', async () => {
	let begin = () => {};
	const allTen = new Promise<void>((resolve) => (begin = resolve));
	const seen = { open: 0, most: 0, sent: 0 };
	const { target } = await serve((_request, response, sent) => {
		const n = Number((JSON.parse(sent) as { q: string }).q.slice(1));
		seen.most = Math.max(seen.most, ++seen.open);
		if (++seen.sent === 10) begin();
		const turns = n % 3 ? allTen : allTen.then(letRead);
		void turns.then(letRead).then(() => {
			seen.open--;
			response.writeHead(200, json).end(JSON.stringify({ results: [{ n }] }));
		});
	});
	const { items } = await operate(target, search, { input: inputs(25) });
	expect(items).toEqual(inputs(25).map((item, index) => ({ ...item, pairedItem: { item: index } })));
	expect(seen.most).toBe(10);
});
