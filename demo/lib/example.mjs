// The workflow that the demo executes, and its rows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DemoError } from './failure.mjs';
import { root } from './paths.mjs';
import { plainTable } from './table.mjs';

export const workflow = JSON.parse(readFileSync(join(root, 'examples', 'scrape-into-table.json'), 'utf8'));

/** The node that starts a run. */
export const run = workflow.nodes.find(({ name }) => name === 'Run Automation');

/** The node that saves the rows in a Data Table. */
export const save = workflow.nodes.find(({ name }) => name === 'Save Books');

/** The content of the credential that leads to the mock service. */
export const credentialFor = ({ apiKey, baseUrl, automationUrl }) => ({
	...{ apiKey, baseUrl, automationUrl },
	allowUnencrypted: false,
});

/** Prints the task, and the items of a node as a table. */
export function printRows(items, node, next) {
	if (items.length === 0) throw new DemoError(`the node "${node.name}" returned no items.`, { next });
	console.log(`\nThe task: ${run.parameters.query}\n`);
	const names = run.parameters.columns.column.map(({ name }) => name);
	const rows = items.map(({ json }) => json);
	console.log(plainTable(rows, names));
}
