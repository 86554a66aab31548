// n8n's own report of what breaks in n8n 3 (Settings > Migration Report).
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { example } from './instance.mjs';
import { n8n, names } from './shared.mjs';

/** The rules that workflows of these ids break, as `rule: id`. */
async function findBroken(ids) {
	await n8n.call('POST', '/breaking-changes/report/refresh?version=v3');
	const { report } = await n8n.call('GET', '/breaking-changes/report?version=v3');
	const broken = [];
	for (const { ruleId } of report.workflowResults) {
		const { affectedWorkflows } = await n8n.call('GET', `/breaking-changes/report/${ruleId}`);
		broken.push(...affectedWorkflows.filter(({ id }) => ids.includes(id)).map(({ id }) => `${ruleId}: ${id}`));
	}
	return broken;
}

it('no example breaks in n8n 3', async () => {
	assert.deepEqual(await findBroken(names.map((name) => example(name).id)), []);
});

it('the report sees a workflow that breaks', async () => {
	const workflow = example('batch-with-error-branch');
	workflow.nodes.find(({ onError }) => onError === 'continueErrorOutput').alwaysOutputData = true;
	const { id } = await n8n.createWorkflow(workflow);
	assert.deepEqual(await findBroken([id]), [`always-output-data-multi-output-v3: ${id}`]);
});
