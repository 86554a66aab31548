// What it takes to load one package: its nodes and credentials are required and made, as n8n does at its start.
import { createRequire } from 'node:module';
import { answer } from '../lib/child.mjs';
import { timed } from '../lib/figures.mjs';

function heap() {
	globalThis.gc();
	return process.memoryUsage().heapUsed;
}

async function load(folder) {
	const require = createRequire(`${folder}/package.json`);
	const { n8n } = require('./package.json');
	// n8n has loaded this long before it loads the first node.
	require('n8n-workflow');
	const before = heap();
	const made = [];
	const time = await timed(() => {
		for (const file of [...n8n.nodes, ...n8n.credentials]) {
			const [className] = file.split('/').at(-1).split('.');
			made.push(new (require(`./${file}`)[className])());
		}
	});
	return { ...time, heap: heap() - before, made: made.length };
}

answer(load);
