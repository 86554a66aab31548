import { buildSync } from 'esbuild';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installN8n } from '../../../demo/lib/install.mjs';
import { measure } from './child.mjs';

const inRepository = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Loads a module of the n8n that `npm run demo` starts. */
export const requireFromN8n = createRequire(inRepository('demo/package.json'));

/**
 * Makes one measurement in a process that may call {@link loadEngine}: on the Node of that n8n, which is installed if need
 * be, and with control of the garbage collection.
 *
 * @param {URL} file a module that calls `answer`
 * @param {object} input what to measure
 */
export async function measureOnEngine(file, input) {
	const { node } = await installN8n();
	// The expression engine of n8n is loaded by import(), from code that n8n runs in a context of its own.
	return await measure(file, input, { execPath: node, execArgv: ['--expose-gc', '--experimental-vm-modules'] });
}

/** What n8n itself takes when nothing is set. */
const EXPRESSION_ENGINE = {
	engine: 'vm',
	poolSize: 1,
	maxCodeCacheSize: 1024,
	bridgeTimeout: 5000,
	bridgeMemoryLimit: 128,
};

export const CREDENTIAL = 'browserAutomationApi';
export const BROWSER_AUTOMATION = 'n8n-nodes-browser-automation.browserAutomation';
export const RUN_AUTOMATION = 'n8n-nodes-browser-automation.runAutomation';

/**
 * Loads the engine of the n8n that `npm run demo` starts, and into it the built package, as n8n loads it. To be called
 * once in a process that {@link measureOnEngine} started.
 *
 * @param {Record<string, import('n8n-workflow').INodeType>} [furtherNodes] by their types
 */
export async function loadEngine(furtherNodes = {}) {
	const folder = mkdtempSync(join(tmpdir(), 'bench-engine-'));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	Object.assign(process.env, { N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent', NODE_ENV: 'production' });

	const { runWorkflow } = loadWithN8n('test/engine/run-workflow.ts');
	await requireFromN8n('n8n-workflow').Expression.initExpressionEngine(EXPRESSION_ENGINE);
	const { nodes, credentials } = await loadPackage(folder);
	const registry = {
		nodes: { [BROWSER_AUTOMATION]: nodes.browserAutomation, [RUN_AUTOMATION]: nodes.runAutomation, ...furtherNodes },
		credentials,
	};
	return {
		/** To be called before the process ends: with an expression engine at work it may end in a segmentation fault. */
		stop: async () => await requireFromN8n('n8n-workflow').Expression.disposeExpressionEngine(),

		/**
		 * Executes a workflow of a start and one node, not by hand, and gives the items that the node put out.
		 *
		 * @param {{ type: string, typeVersion?: number, parameters: object }} node
		 * @param {object} target what the credential holds
		 * @param {object[]} input the JSON of the items that come in
		 * @param {Partial<import('../../engine/run-workflow').RunOptions>} [options]
		 * @throws the error of the node
		 */
		async runNode(node, target, input, options = {}) {
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
					registry,
					input: input.map((json) => ({ json })),
					mode: 'trigger',
					credentials: { [CREDENTIAL]: target },
					...options,
				},
			);
			if (result.error('Node')) throw result.error('Node');
			return result.items('Node');
		},
	};
}

/** Loads a TypeScript module of the tests in such a way that it finds the packages of n8n where n8n does. */
function loadWithN8n(path) {
	const { outputFiles } = buildSync({
		entryPoints: [inRepository(path)],
		bundle: true,
		packages: 'external',
		format: 'cjs',
		platform: 'node',
		write: false,
	});
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
