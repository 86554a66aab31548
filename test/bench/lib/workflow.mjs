// The engine of n8n with the built nodes in it. Run with `--import tsx`, which the engine's TypeScript needs; the nodes
// come from dist/, because tsx takes RunAutomation.node.json for RunAutomation.node.ts.
import { createRequire } from 'node:module';
import '../../engine/env.ts';
import { runWorkflow } from '../../engine/run-workflow.ts';

const require = createRequire(import.meta.url);
const { RunAutomation } = require('../../../dist/nodes/RunAutomation/RunAutomation.node.js');
const { BrowserAutomationApi } = require('../../../dist/credentials/BrowserAutomationApi.credentials.js');

/** Asks n8n's own client for a stream and shows its bytes to nobody but the benchmark: what no node can do without. */
class Discard {
	description = {
		...new RunAutomation().description,
		name: 'discard',
		credentials: [],
		properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
	};

	constructor(onBytes) {
		this.execute = async function () {
			const url = `${this.getNodeParameter('url', 0)}/api/anything/start`;
			const request = { method: 'POST', url, body: { query: 'x' }, encoding: 'stream', timeout: 0 };
			for await (const bytes of await this.helpers.httpRequest(request)) onBytes?.(bytes);
			return [[]];
		};
	}
}

/**
 * Runs a workflow of a start node and one other, and fails where that one does.
 *
 * @param {'runAutomation' | 'discard'} type
 * @param {string} url of the service
 * @param {object} parameters of the node
 * @param {object} [options] of runWorkflow, and `onBytes` for `discard`
 */
export async function runNode(type, url, parameters, { onBytes, ...options } = {}) {
	const credential = { baseUrl: url, automationUrl: url, apiKey: 'bench', allowUnencrypted: false };
	const common = { typeVersion: 1, parameters: {} };
	const result = await runWorkflow(
		{
			nodes: [
				{ ...common, id: '1', name: 'Start', type: 'test.start', position: [0, 0] },
				{
					...common,
					id: '2',
					name: 'Node',
					type,
					position: [200, 0],
					parameters,
					credentials: { browserAutomationApi: { id: '1', name: 'Local service' } },
				},
			],
			connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
		},
		{
			registry: {
				nodes: { runAutomation: new RunAutomation(), discard: new Discard(onBytes) },
				credentials: { browserAutomationApi: new BrowserAutomationApi() },
			},
			credentials: { browserAutomationApi: credential },
			...options,
		},
	);
	const error = result.error('Node') ?? result.run.data.resultData.error;
	if (error) throw error;
	return result;
}
