import { BROWSER_AUTOMATION, CREDENTIAL, onEngine, requireFromN8n, RUN_AUTOMATION } from './lib/engine.mjs';
import { count, duration, middle, ratio, takeTurns, timed } from './lib/figures.mjs';
import { measureOnEngine } from './lib/measure.mjs';

const ITEMS = 1000;
const ROUNDS = 5;

/** What is shown: a contender, and those that it is divided by. */
const ROWS = [
	['A declarative node of one operation', 'one operation', undefined, 'http search'],
	['**Browser Automation**, Web: Search', 'declarative', 'one operation', 'http search'],
	['HTTP Request, the same request', 'http search', undefined, undefined],
	['One operation, fixed text', 'one operation, fixed', undefined, undefined],
	['**Browser Automation**, fixed text', 'declarative, fixed', 'one operation, fixed', undefined],
	['**Run Automation**, Start in Background', 'background', undefined, 'http start'],
	['HTTP Request, the same request', 'http start', undefined, undefined],
];

const SEND = { type: 'body', property: 'q' };

/** The least that a declarative node can be: one operation with one field, nothing looked at before or after. */
class OneOperation {
	description = {
		...{ displayName: 'One Operation', name: 'oneOperation', group: ['transform'], version: 1, description: '' },
		...{ defaults: {}, inputs: ['main'], outputs: ['main'] },
		credentials: [{ name: CREDENTIAL, required: true }],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}', method: 'POST', url: '/search' },
		properties: [{ ...{ displayName: 'Query', name: 'query', type: 'string', default: '' }, routing: { send: SEND } }],
	};
}

const TASK = '={{ $json.task }}';

/** An HTTP Request node that does what a node of the package does. */
const httpRequest = (url, body) => ({
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.4,
	parameters: {
		...{ method: 'POST', url, authentication: 'predefinedCredentialType', nodeCredentialType: CREDENTIAL },
		...{ sendBody: true, specifyBody: 'json', jsonBody: body, options: {} },
	},
});

const oneOperation = (query) => ({ type: 'bench.oneOperation', parameters: { query } });

const declarative = (searchQuery) => ({
	type: BROWSER_AUTOMATION,
	parameters: { resource: 'web', operation: 'search', searchQuery, splitIntoItems: false },
});

/** All send the requests of all items at once, as the declarative ones do anyway. */
const contenders = ({ baseUrl, automationUrl }) => ({
	'one operation': oneOperation(TASK),
	declarative: declarative(TASK),
	'http search': httpRequest(`${baseUrl}/search`, '={{ { q: $json.task } }}'),
	'one operation, fixed': oneOperation('Find an offer'),
	'declarative, fixed': declarative('Find an offer'),
	background: {
		type: RUN_AUTOMATION,
		parameters: { operation: 'background', query: TASK, options: { parallelRuns: ITEMS } },
	},
	'http start': httpRequest(`${automationUrl}/api/anything/start`, '={{ { query: $json.task, detach: true } }}'),
});

/** How many expressions n8n evaluates during an action; this also warms up the code. */
async function countExpressions(action) {
	const { prototype } = requireFromN8n('n8n-workflow').Expression;
	const { renderExpression } = prototype;
	let count = 0;
	prototype.renderExpression = function (...given) {
		count++;
		return renderExpression.apply(this, given);
	};
	await action();
	prototype.renderExpression = renderExpression;
	return count;
}

/** The time that the contenders need for all items, in one process on one engine. */
export async function measurement() {
	const { PackageDirectoryLoader } = requireFromN8n('n8n-core');
	const { HttpRequest } = requireFromN8n('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js');
	const oneOperationNode = new OneOperation();
	// n8n adds fields of its own to every declarative node that it loads.
	PackageDirectoryLoader.applyDeclarativeNodeOptionParameters(oneOperationNode);
	const measureAll = async ({ run, server }) => {
		const list = contenders(server.target);
		const input = Array.from({ length: ITEMS }, (_, i) => ({ task: `Find offer ${i}` }));
		const runAll = async (name) => {
			const results = await run(list[name], input);
			const given = results.filter(({ json }) => json.thread_id || json.results).length;
			if (given !== ITEMS) throw new Error(`${name} returned ${given} of ${ITEMS} responses`);
		};
		const expressions = {};
		for (const name of Object.keys(list)) expressions[name] = (await countExpressions(() => runAll(name))) / ITEMS;
		const times = await takeTurns(Object.keys(list), ROUNDS, async (name) => {
			globalThis.gc();
			return await timed(() => runAll(name));
		});
		return { expressions, times };
	};
	const nodes = { 'bench.oneOperation': oneOperationNode, 'n8n-nodes-base.httpRequest': new HttpRequest() };
	return await onEngine(measureAll, nodes);
}

export const title = 'Per item';

export async function run() {
	const { expressions, times } = await measureOnEngine(import.meta.url, {});
	const perItem = (name) => ['wall', 'cpu'].map((kind) => duration(middle(times[name], kind) / ITEMS));
	const ratios = (name, other) => ['wall', 'cpu'].map((kind) => (other ? ratio(times[name], times[other], kind) : ''));
	const rows = ROWS.map(([label, name, ...others]) => [
		...[label, expressions[name].toFixed(0), ...perItem(name)],
		...others.flatMap((other) => ratios(name, other)),
	]);
	const [vs1, vsHttp] = ['÷ one operation', '÷ HTTP Request'];
	const units = (name) => [`${name}, time`, `${name}, processor`];
	return [
		`${count(ITEMS)} items, all requests at once, on one engine of n8n (that of \`npm run demo\`), one credential and one \
service on this machine. The task is an expression, if it is not a fixed text. Medians of ${ROUNDS} rounds in which all \
take turns.`,
		[['Node', 'Expressions', 'Time', 'Processor', ...units(vs1), ...units(vsHttp)], ...rows],
		`Expressions are the evaluations that n8n makes for one item. It evaluates what stands in a declarative node several \
times, in a node written in code once: that is most of what sets the two kinds apart, whichever node it is.`,
	];
}
