import { build } from 'rolldown';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demo, root } from '../../../demo/lib/paths.mjs';
import { startService } from './service.mjs';

/** Loads a module of the n8n that `npm run demo` starts. */
const requireFromN8n = createRequire(join(demo, 'package.json'));

/** What n8n itself takes when nothing is set. */
const EXPRESSION_ENGINE = {
	...{ engine: 'vm', poolSize: 1, maxCodeCacheSize: 1024 },
	...{ bridgeTimeout: 5000, bridgeMemoryLimit: 128 },
};

/** Asks n8n's own client for a stream and discards its bytes: what no node can do without. */
class Discard {
	description = {
		...{ displayName: 'Discard', name: 'discard', group: ['transform'], version: 1, description: '', defaults: {} },
		...{ inputs: ['main'], outputs: ['main'] },
		properties: ['url', 'query'].map((name) => ({ displayName: name, name, type: 'string', default: '' })),
	};

	async execute() {
		const [url, query] = ['url', 'query'].map((name) => this.getNodeParameter(name, 0));
		const request = { method: 'POST', url, body: { query }, encoding: 'stream', timeout: 0 };
		for await (const _bytes of await this.helpers.httpRequest(request));
		return [[]];
	}
}

/**
 * Starts the service, and loads the engine of the n8n that `npm run demo` starts with both nodes in it. To be called once in
 * a process that `measureOnEngine` started.
 *
 * @param {(tools: { runTask: Function, discard: Function, server: object }) => Promise<any>} action
 * @returns what the action returned
 */
export async function onEngine(action) {
	const folder = mkdtempSync(join(tmpdir(), 'bench-engine-'));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	Object.assign(process.env, { N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent', NODE_ENV: 'production' });

	const { registry, runNode, RUN_AUTOMATION } = await loadWithN8n('test/engine/run-node.ts');
	const { Expression } = requireFromN8n('n8n-workflow');
	await Expression.initExpressionEngine(EXPRESSION_ENGINE);
	registry.nodes.discard = new Discard();
	const server = await startService();

	/** Executes a node, not by hand, for so many items, and returns its items, or throws its error. */
	async function run(type, parameters, count, options) {
		const input = Array.from({ length: count }, () => ({ json: {} }));
		const { items, error } = await runNode(type, server.target, parameters, { input, mode: 'trigger', ...options });
		if (error) throw error;
		return items;
	}

	/** Runs a task with Run Automation, for each of so many input items, with these options of the node. */
	const runTask = async (query, { items = 1, operation = 'result', ...options } = {}, engine = {}) =>
		await run(RUN_AUTOMATION, { operation, query, options }, items, engine);

	/** Reads the bytes of a run with n8n's client. */
	const discard = async (query) =>
		await run('discard', { url: `${server.target.automationUrl}/api/anything/start`, query }, 1);

	const value = await action({ runTask, discard, server });
	server.stop();
	// With an expression engine at work the process may end in a segmentation fault.
	await Expression.disposeExpressionEngine();
	return value;
}

/** Loads a TypeScript module of the tests so that it finds the packages of n8n as n8n does. */
async function loadWithN8n(path) {
	// One file: nothing is written that it could load another one from.
	const how = { external: /^[^./]/, platform: 'node', output: { format: 'cjs', codeSplitting: false }, write: false };
	const { output } = await build({ input: join(root, path), ...how });
	const exports = {};
	new Function('require', 'exports', output[0].code)(requireFromN8n, exports);
	return exports;
}
