// What n8n's AI workflow builder finds of the package: n8n's own search, among all the nodes that n8n has loaded.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { it } from 'node:test';
import { demo } from '../../demo/lib/paths.mjs';
import { types } from './shared.mjs';

const load = createRequire(join(demo, 'package.json'));
const { NodeTypeParser, searchCodeBuilderNodes } = load('@n8n/ai-utilities/node-catalog');

/** What the builder is told of the nodes that a search finds, by the type of the node. */
function search(text) {
	const { results } = searchCodeBuilderNodes(new NodeTypeParser(types), [text]);
	return Object.fromEntries(results.split(/^- /m).map((entry) => [entry.split(/\s/, 1)[0], entry]));
}

it('finds each node by what it is for', () => {
	for (const [text, ...nodes] of [
		['web automation', 'runAutomation', 'browserAutomation'],
		['web scraping', 'runAutomation'],
		['search the web', 'browserAutomation'],
	]) {
		const found = Object.keys(search(text));
		for (const node of nodes) assert.ok(found.includes(`n8n-nodes-browser-automation.${node}`), `${text}: ${found}`);
	}
});

// What the hints of each node say is in test/package/builder-hints.test.ts.
it('is told the hints of both nodes, and when to take the other one', () => {
	assert.match(search('web automation')['n8n-nodes-browser-automation.runAutomation'], /@builderHint .*costs money/);
	const found = search('browser automation')['n8n-nodes-browser-automation.browserAutomation'];
	assert.match(found, /@builderHint .*use the node Run Automation instead/);
	assert.match(found, /- n8n-nodes-browser-automation\.runAutomation: "Starts a web agent on a task/);
	assert.match(found, /- start\n +Start or continue a run .*\n +@builderHint Each item starts a billed run/);
});
