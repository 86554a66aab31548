// Started by engine.mjs: loads n8n's engine and the runner of the tests, then executes one node. It sends each piece of live text, and
// at last the items, or why there are none.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { root } from './paths.mjs';

const manifest = join(root, 'package.json');
const { runPacked } = createRequire(manifest)('tsx/cjs/api').require('./test/engine/run-packed.ts', manifest);

parentPort.once('message', async ({ folder, node, credential }) => {
	const { items, error } = await runPacked(folder, node, credential, (piece) => parentPort.postMessage({ piece }));
	const failure = error && { message: error.message, description: error.description };
	parentPort.postMessage({ result: { items: items.map(({ json }) => ({ json })), failure } });
});
