// What a real n8n hands out of the package that it has loaded: icons, output schemas, and what its AI workflow builder finds.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { it } from 'node:test';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { demo, root } from '../../demo/lib/paths.mjs';
import { n8n, types } from './shared.mjs';

const { NodeTypeParser, searchCodeBuilderNodes } = createRequire(join(demo, 'package.json'))(
	'@n8n/ai-utilities/node-catalog',
);
const PACKAGE = 'n8n-nodes-browser-automation';
const NODES = ['BrowserAutomation', 'RunAutomation'];
const nameOf = (node) => `${PACKAGE}.${node[0].toLowerCase()}${node.slice(1)}`;

it('each node has its own icon for the light and for the dark theme', async () => {
	const icons = NODES.map((node) => types.find(({ name }) => name === nameOf(node)).iconUrl);
	const addresses = icons.flatMap(({ light, dark }) => [light, dark]);
	assert.equal(new Set(addresses).size, 4);
	for (const address of addresses) assert.match(await (await fetchN8n(`${n8n.url}/${address}`)).text(), /^<svg /);
});

// The editor shows the fields of a node that has not run yet to the node after it.
it('each operation with an output schema has it where the editor looks for it', async () => {
	for (const node of NODES) {
		const folder = join(root, 'nodes', node, '__schema__', 'v1.0.0');
		const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.json'));
		assert.ok(files.length > 0);
		for (const file of files) {
			const response = await fetchN8n(`${n8n.url}/schemas/${nameOf(node)}/1.0.0/${file}`);
			assert.equal(await response.text(), readFileSync(join(folder, file), 'utf8'), file);
		}
	}
});

/** What the builder is told of the nodes that a search finds, by the type of the node. */
function search(text) {
	const { results } = searchCodeBuilderNodes(new NodeTypeParser(types), [text]);
	return Object.fromEntries(results.split(/^- /m).map((entry) => [entry.split(/\s/, 1)[0], entry]));
}

// What the hints of each node say is in test/package/builder-hints.test.ts.
it('the builder finds each node by what it is for, with its hint, and learns when to take the other one', () => {
	for (const [text, ...nodes] of [
		['web automation', 'RunAutomation', 'BrowserAutomation'],
		['web scraping', 'RunAutomation'],
		['search the web', 'BrowserAutomation'],
	]) {
		const found = search(text);
		for (const node of nodes) assert.match(found[nameOf(node)] ?? '', /@builderHint /, `${node} for ${text}`);
	}
	const found = search('browser automation')[nameOf('BrowserAutomation')];
	assert.match(found, /- n8n-nodes-browser-automation\.runAutomation: "Starts a web agent on a task/);
	assert.match(found, /- start\n +Return the run link immediately\b.*\n +@builderHint Each item starts a billed run/);
});
