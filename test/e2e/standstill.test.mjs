// An n8n whose process stands still during a run, as that of a laptop that sleeps: what arrived meanwhile is read.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { closingOf, nodeOf, startOf, withParameters, workflowFor } from './instance.mjs';
import { n8n } from './shared.mjs';

const IDLE_SECONDS = 3;
const NODE = 'Run Automation';

it('a run that arrives while n8n is stopped for longer than its idle timeout returns its rows, with one start', async () => {
	const parameters = {
		query: 'steady 2',
		operation: 'rows',
		columns: { column: [{ name: 'name', type: 'text' }] },
		options: { idleTimeout: IDLE_SECONDS },
	};
	const workflow = withParameters(workflowFor('one-run'), { [NODE]: parameters });
	assert.ok(nodeOf(workflow, NODE));
	const id = await n8n.start((await n8n.createWorkflow(workflow)).id);
	const run = await startOf(n8n);
	process.kill(-n8n.pid, 'SIGSTOP');
	try {
		await sleep(2.5 * IDLE_SECONDS * 1000);
	} finally {
		process.kill(-n8n.pid, 'SIGCONT');
	}
	const execution = await n8n.ended(id);
	assert.deepEqual([execution.status, execution.items(NODE).map(({ json }) => json.name)], ['success', ['Done']]);
	assert.equal(await closingOf(run), 'finished');
	assert.equal(n8n.service.starts.length, 1);
});
