// Every example is imported by a real n8n without a warning, and executed there against the stand-in service. Those that
// start with a chat message are executed by chat.test.mjs and agent.test.mjs, those that wait by waiting.test.mjs, and the one
// with a form by upload.test.mjs.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { it } from 'node:test';
import { demo } from '../../demo/lib/paths.mjs';
import { example, nodeOf, postStreaming, until, withParameters } from './instance.mjs';
import { streamingWebhook } from './queue.mjs';
import { folder, imported, mail, n8n, names, types } from './shared.mjs';

const { NodeHelpers } = createRequire(join(demo, 'package.json'))('n8n-workflow');

const CHATS = ['agent-with-tool', 'chat-with-follow-ups'];
const WAITING = ['agent-with-approval', 'approve-a-step', 'prepare-a-profile', 'start-and-wait-for-callback'];
const FORM = 'upload-a-document';
const ERROR_WORKFLOW = 'tell-me-when-a-run-fails';

/** Executes an example as it stands, or a copy with other parameters. */
async function execute(name) {
	const workflow = example(name);
	const { id } = changes[name] ? await n8n.createWorkflow(withParameters(workflow, changes[name])) : workflow;
	const execution = await n8n.execute(id);
	assert.deepEqual([execution.error?.message, execution.status, n8n.service.violations], [undefined, 'success', []]);
	return execution;
}

const fileName = join(folder, 'replay.mp4');
const tasks = ['quick one', 'failed two', '', 'quick three'];

/** What the note of an example asks for before its first run: a table with the columns of the rows. */
const tables = `/projects/${(await n8n.call('GET', '/projects/personal')).id}/data-tables`;
const text = (name) => ({ name, type: 'string' });
const columns = [text('name'), { name: 'price', type: 'number' }, text('link')];
const offersTable = await n8n.call('POST', tables, { name: 'Shop offers', columns });

const companyColumns = [
	...['company', 'website', 'offer_name', 'link'].map(text),
	...['budget', 'price'].map((name) => ({ name, type: 'number' })),
];
const companiesTable = await n8n.call('POST', tables, { name: 'Companies', columns: companyColumns });

/** What the machine or the clock asks for, and tasks of which one fails. */
const changes = {
	'start-now-ask-later': { Wait: { amount: 1, unit: 'seconds' } },
	'replay-to-file': { 'Write to Disk': { fileName } },
	'batch-with-error-branch': { Tasks: { jsonOutput: JSON.stringify({ tasks }) } },
	'call-any-endpoint': { 'Base URL': { jsonOutput: JSON.stringify({ base_url: n8n.service.baseUrl }) } },
};

/** What must come of an example beside an execution without an error. */
const results = {
	'scheduled-run': ({ items }) =>
		assert.match(items('Use the Result')[0].json.result, /3 offers fit the task:\n\n- \[/),
	'scrape-into-table': async ({ items }) => {
		const rows = items('Run Automation').map(({ json }) => json);
		assert.deepEqual(
			rows.map((row) => [Object.keys(row).join(), row.price]),
			[4.2, 6.5, 7.25].map((price) => ['name,price,link', price]),
		);
		await execute('scrape-into-table');
		const { data } = await n8n.call('GET', `${tables}/${offersTable.id}/rows`);
		const stored = data.map(({ name, price, link }) => ({ name, price, link }));
		assert.deepEqual(stored, [...rows, ...rows]);
	},
	'enrich-a-list': async ({ items }) => {
		const rows = items('Run Automation').map(({ json }) => json);
		assert.deepEqual(
			rows.map((row) => [Object.keys(row).join(), row.company, row.price < row.budget]),
			['Corner Shop', 'Market Hall', 'Old Mill'].map((name) => [
				'company,website,budget,offer_name,price,link',
				name,
				true,
			]),
		);
		assert.equal(n8n.service.starts.length, 3);
		const { data } = await n8n.call('GET', `${tables}/${companiesTable.id}/rows`);
		const stored = data.map((row) => Object.fromEntries(Object.keys(rows[0]).map((name) => [name, row[name]])));
		assert.deepEqual(stored, rows);
	},
	'compare-and-alert': ({ items }) => {
		assert.equal(items('Run Automation').length, 24);
		const bargains = items('Only Bargains').map(({ json }) => json.name);
		assert.equal(bargains.length, 5);
		const [{ text }, ...others] = mail.mails;
		assert.deepEqual(others, []);
		assert.match(text, /^Subject: 5 offers under 10 euros$/m);
		for (const name of bargains) assert.ok(text.includes(`\n${name}: `), name);
	},
	'start-now-ask-later': ({ items }) => {
		const [first, second] = n8n.service.starts;
		assert.deepEqual([first.detached, second.detached, second.body.thread_id], [true, false, first.threadId]);
		assert.match(items('Ask for the Result')[0].json.text, /3 offers fit the task:/);
	},
	'batch-with-error-branch': ({ items }) => {
		const kept = items('Keep the Result').map(({ json }) => [json.task, json.result]);
		assert.deepEqual(kept, [
			['quick one', 'Done: one.'],
			['quick three', 'Done: three.'],
		]);
		const [failed, empty, ...others] = items('Look Into It').map(({ json }) => json);
		const { threadId } = n8n.service.starts.find((start) => start.task === 'failed two');
		assert.deepEqual([failed.task, failed.thread_id, failed.text_so_far], ['failed two', threadId, 'Done: two.']);
		assert.match(failed.reason, /^The site blocked the agent/);
		assert.deepEqual([empty.task, empty.thread_id, others], ['', '', []]);
		assert.match(empty.reason, /^'Task' is empty/);
		assert.equal(n8n.service.starts.length, 3);
	},
	'resumable-batch': ({ items }) => {
		const threads = n8n.service.starts.map(({ threadId }) => threadId);
		assert.deepEqual([threads.length, items('All Results').map(({ json }) => json.thread_id)], [4, threads]);
	},
	'replay-to-file': () => assert.ok(statSync(fileName).size > 0),
	'cookies-then-run': ({ items }) => {
		assert.equal(n8n.service.state.profiles.get('profile-1').at(-1).name, 'session');
		assert.equal(items('Run Automation')[0].json.status, 'completed');
	},
	'search-then-start': ({ items }) => {
		assert.equal(items('Search Web').length, 2);
		assert.equal(n8n.service.starts.length, 1);
	},
	'call-any-endpoint': ({ items }) => assert.equal(items('Call the Service')[0].json.results.length, 3),
	'keep-a-session': ({ items }) => {
		assert.deepEqual(Object.keys(items('Get Replay')[0].binary), ['video']);
		assert.ok(items('Get Script')[0].binary);
	},
};

it('n8n imports every example without a warning', () => {
	assert.equal(imported.code, 0, imported.output);
	assert.match(imported.output, new RegExp(`Successfully imported ${names.length} workflow`));
	const warnings = imported.logs.filter(({ level }) => level === 'warn' || level === 'error');
	assert.deepEqual(warnings, []);
});

it('n8n knows every node of every example, and keeps every parameter', () => {
	for (const name of names) {
		for (const node of example(name).nodes) {
			const type = types.find(
				(candidate) => candidate.name === node.type && [candidate.version].flat().includes(node.typeVersion),
			);
			assert.ok(type, `${name}: ${node.type} ${node.typeVersion}`);
			const known = NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type);
			assertHolds(known, node.parameters, `${name}: ${node.name}`);
			const issues = NodeHelpers.getNodeParametersIssues(type.properties, { ...node, parameters: known }, type);
			assert.equal(issues, null, `${name}: ${node.name}`);
		}
	}
});

/** Asserts that everything in `part` is in `whole` too. */
function assertHolds(whole, part, path) {
	if (typeof part !== 'object' || part === null) return assert.equal(whole, part, path);
	for (const [key, value] of Object.entries(part)) {
		assert.ok(whole && key in whole, `${path} has no parameter ${key}, or hides it`);
		assertHolds(whole[key], value, `${path}.${key}`);
	}
}

for (const name of names.filter((candidate) => ![...CHATS, ...WAITING, ERROR_WORKFLOW, FORM].includes(candidate))) {
	it(`${name} runs`, async () => {
		const execution = await execute(name);
		await results[name]?.(execution);
	});
}

it(`${ERROR_WORKFLOW} sends one message if a production execution fails, whatever the reason`, async () => {
	const errorWorkflow = await n8n.publish(example(ERROR_WORKFLOW));
	const columns = { column: [{ name: 'colour', type: 'text', required: true }] };
	for (const [task, parameters, reason, whatToDo] of [
		['failed two', {}, 'The site blocked the agent', "Enter this thread ID as 'Thread ID'"],
		['status 402', {}, 'Status 402 as asked', 'Check the plan and balance of your account'],
		['', {}, "'Task' is empty", 'Enter a value'],
		['Find the three cheapest offers', { operation: 'rows', columns }, 'Row 1', "Turn off 'Required' for this column"],
	]) {
		n8n.service.reset();
		mail.mails.length = 0;
		const { workflow, path } = streamingWebhook();
		const named = { ...workflow, name: 'Every night', settings: { ...workflow.settings, errorWorkflow } };
		const changed = withParameters(named, { Webhook: { responseMode: 'onReceived' }, 'Run Automation': parameters });
		const id = await n8n.publish(changed);
		await postStreaming(n8n.url + path, { tasks: [task] });
		const [{ text }] = await until('the message is sent', () => mail.mails.length > 0 && mail.mails);
		const { id: executionId } = await n8n.lastExecution(id);
		const [heading, ...message] = text.split('\n\n');
		assert.match(heading, /^Subject: Every night failed$/m);
		const [run] = n8n.service.starts;
		const thread = run && task !== 'status 402' ? [`Thread ID: ${run.threadId}`] : [];
		assert.deepEqual(message.slice(2), [...thread, `Execution: ${n8n.url}/workflow/${id}/executions/${executionId}`]);
		assert.ok(message[0].startsWith(reason) && message[1].includes(whatToDo), text);
		await n8n.lastExecution(errorWorkflow);
		assert.equal(mail.mails.length, 1);
	}
});

/** The rules of n8n's migration report (Settings > Migration Report) that workflows of these ids break, as `rule: id`. */
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

it('the migration report of n8n lists no example, but a workflow that breaks in n8n 3', async () => {
	const workflow = example('batch-with-error-branch');
	nodeOf(workflow, 'Run Automation').alwaysOutputData = true;
	const { id } = await n8n.createWorkflow(workflow);
	const ids = names.map((name) => example(name).id);
	assert.deepEqual(await findBroken([...ids, id]), [`always-output-data-multi-output-v3: ${id}`]);
});
