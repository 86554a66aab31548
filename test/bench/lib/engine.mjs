import { build } from 'rolldown';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './service.mjs';

const inRepository = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Loads a module of the n8n that `npm run demo` starts. */
const requireFromN8n = createRequire(inRepository('demo/package.json'));

/** What n8n itself takes when nothing is set. */
const EXPRESSION_ENGINE = {
	...{ engine: 'vm', poolSize: 1, maxCodeCacheSize: 1024 },
	...{ bridgeTimeout: 5000, bridgeMemoryLimit: 128 },
};

const CREDENTIAL = 'browserAutomationApi';

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
 * Starts the service, loads the engine of the n8n that `npm run demo` starts, and into it the built package, as n8n loads
 * it. To be called once in a process that `measureOnEngine` started.
 *
 * @param {(tools: { runTask: Function, discard: Function, server: object }) => Promise<any>} action
 * @returns what the action returned
 */
export async function onEngine(action) {
	const folder = mkdtempSync(join(tmpdir(), 'bench-engine-'));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	Object.assign(process.env, { N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent', NODE_ENV: 'production' });

	const { runWorkflow } = await loadWithN8n('test/engine/run-workflow.ts');
	const { Expression } = requireFromN8n('n8n-workflow');
	await Expression.initExpressionEngine(EXPRESSION_ENGINE);
	const { nodes, credentials } = await loadPackage(folder);
	const server = await startService();

	/** Executes a workflow of a start and one node, not by hand, and returns the items of the node, or throws its error. */
	async function run(type, parameters, items, options) {
		const common = { typeVersion: 1, position: [0, 0] };
		const used = { [CREDENTIAL]: { id: '1', name: 'Bench' } };
		const result = await runWorkflow(
			{
				nodes: [
					{ ...common, id: '1', name: 'Start', type: 'test.start', parameters: {} },
					{ ...common, id: '2', name: 'Node', type, parameters, credentials: used },
				],
				connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
			},
			{
				registry: { nodes: { ...nodes, discard: new Discard() }, credentials },
				input: Array.from({ length: items }, () => ({ json: {} })),
				mode: 'trigger',
				credentials: { [CREDENTIAL]: server.target },
				...options,
			},
		);
		const error = result.error('Node') ?? result.run.data.resultData.error;
		if (error) throw error;
		return result.items('Node');
	}

	/** Runs a task with Run Automation, for each of so many input items, with these options of the node. */
	const runTask = async (query, { items = 1, operation = 'result', ...options } = {}, engine = {}) =>
		await run('runAutomation', { operation, query, options }, items, engine);

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
	const how = { external: /^[^./]/, platform: 'node', output: { format: 'cjs' }, write: false };
	const { output } = await build({ input: inRepository(path), ...how });
	const exports = {};
	new Function('require', 'exports', output[0].code)(requireFromN8n, exports);
	return exports;
}

/** The package must find the n8n-workflow of the engine: a copy of it stands beside that one. */
async function loadPackage(folder) {
	for (const path of ['package.json', 'dist']) cpSync(inRepository(path), join(folder, path), { recursive: true });
	mkdirSync(join(folder, 'node_modules'));
	const library = dirname(requireFromN8n.resolve('n8n-workflow/package.json'));
	symlinkSync(library, join(folder, 'node_modules', 'n8n-workflow'), 'junction');

	const { PackageDirectoryLoader } = requireFromN8n('n8n-core');
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	const typesOf = (loaded) => Object.fromEntries(Object.entries(loaded).map(([name, { type }]) => [name, type]));
	return { nodes: typesOf(loader.nodeTypes), credentials: typesOf(loader.credentialTypes) };
}
