import { buildSync } from 'esbuild';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './service.mjs';

const inRepository = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Loads a module of the n8n that `npm run demo` starts. */
export const requireFromN8n = createRequire(inRepository('demo/package.json'));

/** What n8n itself takes when nothing is set. */
const EXPRESSION_ENGINE = {
	...{ engine: 'vm', poolSize: 1, maxCodeCacheSize: 1024 },
	...{ bridgeTimeout: 5000, bridgeMemoryLimit: 128 },
};

export const CREDENTIAL = 'browserAutomationApi';
export const BROWSER_AUTOMATION = 'n8n-nodes-browser-automation.browserAutomation';
export const RUN_AUTOMATION = 'n8n-nodes-browser-automation.runAutomation';

/** Asks n8n's own client for a stream and shows its bytes to nobody but the benchmark: what no node can do without. */
class Discard {
	description = {
		...{ displayName: 'Discard', name: 'discard', group: ['transform'], version: 1, description: '', defaults: {} },
		...{ inputs: ['main'], outputs: ['main'] },
		properties: ['url', 'task'].map((name) => ({ displayName: name, name, type: 'string', default: '' })),
	};

	constructor(onBytes) {
		this.execute = async function () {
			const [url, query] = ['url', 'task'].map((name) => this.getNodeParameter(name, 0));
			const request = { method: 'POST', url, body: { query }, encoding: 'stream', timeout: 0 };
			for await (const bytes of await this.helpers.httpRequest(request)) onBytes(bytes);
			return [[]];
		};
	}
}

/**
 * Starts the service, loads the engine of the n8n that `npm run demo` starts, and into it the built package, as n8n loads
 * it. To be called once in a process that `measureOnEngine` started.
 *
 * @param {(tools: { run: Function, runTask: Function, discard: Function, server: object }) => Promise<any>} action
 * @param {Record<string, import('n8n-workflow').INodeType>} [furtherNodes] by their types
 * @returns what the action returned
 */
export async function onEngine(action, furtherNodes = {}) {
	const folder = mkdtempSync(join(tmpdir(), 'bench-engine-'));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	Object.assign(process.env, { N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent', NODE_ENV: 'production' });

	const { runWorkflow } = loadWithN8n('test/engine/run-workflow.ts');
	const { Expression } = requireFromN8n('n8n-workflow');
	await Expression.initExpressionEngine(EXPRESSION_ENGINE);
	const { nodes, credentials } = await loadPackage(folder);
	const own = { [BROWSER_AUTOMATION]: nodes.browserAutomation, [RUN_AUTOMATION]: nodes.runAutomation };
	const server = await startService();

	/**
	 * Executes a workflow of a start and one node, not by hand, and returns the items of the node, or throws its error.
	 *
	 * @param {{ type: string, typeVersion?: number, parameters: object }} node
	 * @param {object[]} input the JSON of the input items
	 * @param {Partial<import('../../engine/run-workflow').RunOptions> & { onBytes?: (bytes: Buffer) => void }} [options]
	 */
	async function run(node, input, { onBytes = () => {}, ...options } = {}) {
		const common = { typeVersion: 1, position: [0, 0] };
		const credential = { [CREDENTIAL]: { id: '1', name: 'Bench' } };
		const result = await runWorkflow(
			{
				nodes: [
					{ ...common, id: '1', name: 'Start', type: 'test.start', parameters: {} },
					{ ...common, id: '2', name: 'Node', credentials: credential, ...node },
				],
				connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
			},
			{
				registry: { nodes: { ...own, discard: new Discard(onBytes), ...furtherNodes }, credentials },
				input: input.map((json) => ({ json })),
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
		await run(
			{ type: RUN_AUTOMATION, parameters: { operation, query, options } },
			Array.from({ length: items }, () => ({})),
			engine,
		);

	/** Reads the bytes of a run with n8n's client. */
	const discard = async (task, onBytes) => {
		const parameters = { url: `${server.target.automationUrl}/api/anything/start`, task };
		await run({ type: 'discard', parameters }, [{}], { onBytes });
	};

	const value = await action({ run, runTask, discard, server });
	server.stop();
	// With an expression engine at work the process may end in a segmentation fault.
	await Expression.disposeExpressionEngine();
	return value;
}

/** Loads a TypeScript module of the tests so that it finds the packages of n8n as n8n does. */
function loadWithN8n(path) {
	const how = { bundle: true, packages: 'external', format: 'cjs', platform: 'node', write: false };
	const { outputFiles } = buildSync({ entryPoints: [inRepository(path)], ...how });
	const module = { exports: {} };
	new Function('require', 'module', outputFiles[0].text)(requireFromN8n, module);
	return module.exports;
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
