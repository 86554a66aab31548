// The time that contenders need for a thousand items, in one process on one engine.
import { answer } from '../lib/child.mjs';
import { BROWSER_AUTOMATION, CREDENTIAL, loadEngine, requireFromN8n, RUN_AUTOMATION } from '../lib/engine.mjs';
import { timed } from '../lib/figures.mjs';
import { startService } from '../lib/service.mjs';

/** The least that a declarative node can be: one operation with one field, nothing looked at before or after. */
class OneOperation {
	description = {
		displayName: 'One Operation',
		name: 'oneOperation',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: CREDENTIAL, required: true }],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}', method: 'POST', url: '/search' },
		properties: [
			{
				displayName: 'Query',
				name: 'query',
				type: 'string',
				default: '',
				routing: { send: { type: 'body', property: 'q' } },
			},
		],
	};
}

const TASK = '={{ $json.task }}';

/** An HTTP Request node that does what a node of the package does. */
const httpRequest = (url, body) => ({
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.4,
	parameters: {
		method: 'POST',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: body,
		options: {},
	},
});

const oneOperation = (query) => ({ type: 'bench.oneOperation', parameters: { query } });

const declarative = (searchQuery) => ({
	type: BROWSER_AUTOMATION,
	parameters: { resource: 'web', operation: 'search', searchQuery, splitIntoItems: false },
});

/** All send the requests of all items at once, as the declarative ones do anyway. */
const contenders = (items, { baseUrl, automationUrl }) => ({
	'one operation': oneOperation(TASK),
	declarative: declarative(TASK),
	'http search': httpRequest(`${baseUrl}/search`, '={{ { q: $json.task } }}'),
	'one operation, fixed': oneOperation('Find an offer'),
	'declarative, fixed': declarative('Find an offer'),
	background: {
		type: RUN_AUTOMATION,
		parameters: { operation: 'background', query: TASK, options: { parallelRuns: items } },
	},
	'http start': httpRequest(`${automationUrl}/api/anything/start`, '={{ { query: $json.task, detach: true } }}'),
});

/** How many expressions n8n evaluates while an action goes on; this also warms up the code. */
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

async function compare({ items, rounds }) {
	const server = await startService();
	const { PackageDirectoryLoader } = requireFromN8n('n8n-core');
	const { HttpRequest } = requireFromN8n('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js');
	const oneOperationNode = new OneOperation();
	// n8n adds fields of its own to every declarative node that it loads.
	PackageDirectoryLoader.applyDeclarativeNodeOptionParameters(oneOperationNode);
	const { runNode, stop } = await loadEngine({
		'bench.oneOperation': oneOperationNode,
		'n8n-nodes-base.httpRequest': new HttpRequest(),
	});
	const input = Array.from({ length: items }, (_, i) => ({ task: `Find offer ${i}` }));
	const run = async (contender) => {
		const put = await runNode(contender, server.target, input);
		const given = put.filter(({ json }) => json.thread_id || json.results).length;
		if (given !== items) throw new Error(`${contender.type} put out ${given} of ${items} answers`);
	};

	const results = {};
	const list = Object.entries(contenders(items, server.target));
	for (const [name, contender] of list) {
		results[name] = { expressions: (await countExpressions(() => run(contender))) / items, rounds: [] };
	}
	for (let round = 0; round < rounds; round++) {
		for (const [name, contender] of list) {
			globalThis.gc();
			results[name].rounds.push(await timed(() => run(contender)));
		}
	}
	server.stop();
	await stop();
	return results;
}

answer(compare);
