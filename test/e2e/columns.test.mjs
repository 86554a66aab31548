// Columns with choices and links, and a task that the agent could not do, in a real n8n.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withParameters, workflowFor } from './instance.mjs';
import { n8n } from './shared.mjs';

const NODE = 'Run Automation';

/** Runs a task with rows of some columns. */
async function getRows(query, column) {
	const form = { operation: 'rows', query, columnsFrom: 'fields', columns: { column }, options: {} };
	const { id } = await n8n.createWorkflow(withParameters(workflowFor('one-run'), { [NODE]: form }));
	return await n8n.execute(id);
}

it('a column takes only its choices, as they are written, and a link only full addresses', async () => {
	const columns = [
		{ name: 'currency', type: 'choice', choices: 'USD, gbp' },
		{ name: 'link', type: 'link' },
	];
	const { items, error } = await getRows('Find the three cheapest books of the shop', columns);
	assert.equal(error, undefined);
	for (const { json } of items(NODE)) {
		assert.equal(json.currency, 'gbp');
		assert.match(json.link, /^https:\/\/books\.toscrape\.com\/catalogue\//);
	}
	assert.match(n8n.service.starts[0].body.query, /"currency" \(one of "USD", "gbp"/);
	const [currency] = columns;
	const other = await getRows('Find the three cheapest books', [{ ...currency, choices: 'USD' }]);
	assert.match(other.error.message, /^Row 1: "currency" must be one of .*USD.*, but is "GBP"/);
});

it('a task that the agent could not do is an error with its reason, and not a list without rows', async () => {
	const { status, error } = await getRows('Read my orders of the shop', [{ name: 'order', type: 'text' }]);
	assert.equal(status, 'error');
	assert.equal(error.message, 'The shop asks for a sign-in');
});
