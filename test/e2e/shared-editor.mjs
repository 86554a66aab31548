// The one editor that the tests of a process share, opened when this module is loaded. A test that fails leaves a screenshot in
// test/e2e/screenshots.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import { root } from '../../demo/lib/paths.mjs';
import { credentials } from './agents.mjs';
import { openEditor } from './editor.mjs';
import { n8n } from './shared.mjs';

export const BROWSER = 'Browser Automation';
export const RUN = 'Run Automation';
export const typeNameOf = (node) => `n8n-nodes-browser-automation.${node === RUN ? 'run' : 'browser'}Automation`;

export const folder = join(root, 'test', 'e2e', 'screenshots');
export const forDocs = process.argv.includes('--docs');

rmSync(folder, { recursive: true, force: true });
export const editor = await openEditor(n8n, forDocs ? 2 : 1);
after(async () => await editor.page.context().browser().close());
afterEach(async ({ name, passed }) => {
	if (!passed) await editor.shoot(folder, name.replace(/\W+/g, '-'));
});

/** Opens the form of a node that stands alone in a workflow. */
export async function openAlone(node, parameters = {}) {
	const place = { id: '1', name: node, typeVersion: 1, position: [0, 0] };
	const own = { ...place, type: typeNameOf(node), parameters, credentials };
	const workflow = { name: 'One node', nodes: [own], connections: {}, settings: {} };
	await editor.openWorkflow((await n8n.createWorkflow(workflow)).id);
	await editor.openNode(node);
}
