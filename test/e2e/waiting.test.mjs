// The examples that wait for the agent or a person, both ways: a response, and the time limit.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { byMail, example, until, withParameters } from './instance.mjs';
import { mail, n8n } from './shared.mjs';

const start = async (name, changes = {}, prepare = (workflow) => workflow) =>
	await n8n.start((await n8n.createWorkflow(prepare(withParameters(example(name), changes)))).id);

const succeeded = async (executionId) => {
	const execution = await n8n.ended(executionId);
	assert.deepEqual([execution.error?.message, execution.status, n8n.service.violations], [undefined, 'success', []]);
	return execution;
};

/** Starts an example and waits until its execution is stored, as only then a person can resume it. */
async function startWaiting(...further) {
	const executionId = await start(...further);
	await until(`execution ${executionId} waits`, async () => {
		const { status } = await n8n.call('GET', `/executions/${executionId}`);
		assert.notEqual(status, 'error');
		return status === 'waiting';
	});
	return executionId;
}

/** Opens an address as a browser does, and gives the page. n8n does not take a bot for a person. */
async function open(url) {
	const response = await fetchN8n(url, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' } });
	assert.equal(response.status, 200, url);
	return await response.text();
}

/** The address of a button in the last mail: `true` approves, `false` declines. */
function buttonOf(mails, answer) {
	const { text } = mails.at(-1);
	const [, address] = new RegExp(`href="([^"]*approved=${answer}[^"]*)"`).exec(text);
	return address.replaceAll('&amp;', '&');
}

it('start-and-wait-for-callback continues with the result that the agent sends', async () => {
	const { items, nodes } = await succeeded(await start('start-and-wait-for-callback'));
	const [{ body, detached, threadId }, ...others] = n8n.service.starts;
	assert.deepEqual([detached, others], [true, []]);
	assert.match(body.query, new RegExp(`POST to ${n8n.url}/webhook-waiting/\\d+\\?signature=\\w+\n`));
	assert.ok(!nodes.includes('Ask for the Result'));
	const [{ json }] = items('Use the Result');
	assert.deepEqual(json, { result: `Done: ${body.query.split('\n')[0]}`, thread_id: threadId });
});

for (const [answer, words] of [
	['true', /^A person approves this once, and nothing else:\n\npayInvoice: \{"amount":5\}$/],
	['false', /^A person does not approve this\./],
]) {
	it(`approve-a-step informs the agent in its thread that the person answered ${answer}`, async () => {
		const task = { 'Run Automation': { query: 'approval Pay the invoice' } };
		const id = await startWaiting('approve-a-step', task);
		const [announced, { text }, ...none] = mail.mails;
		assert.match(announced.text, /^Subject: A run starts$/m);
		assert.deepEqual(none, []);
		assert.match(text, /payInvoice: \{&quot;amount&quot;:5\}|payInvoice: \{"amount":5\}/);
		await open(buttonOf(mail.mails, answer));
		const { items } = await succeeded(id);
		const [first, second, ...others] = n8n.service.starts;
		assert.match(second.task, words);
		assert.deepEqual([second.body.thread_id, others], [first.threadId, []]);
		assert.equal(items('Use the Result')[0].json.status, 'completed');
	});
}

it('approve-a-step asks no one if the run needs no approval', async () => {
	const { items } = await succeeded(await start('approve-a-step'));
	assert.deepEqual([n8n.service.starts.length, mail.mails.length], [1, 1]);
	assert.equal(items('Use the Result')[0].json.status, 'completed');
});

/** Enters the code in the form of an execution, after which the agent gets it in the same thread; gives the execution once it has ended. */
async function enterCode(url, executionId) {
	assert.match(await open(url), /<form/);
	const body = new FormData();
	body.append('field-0', '123456');
	assert.ok((await fetchN8n(url, { method: 'POST', body })).ok);
	const execution = await succeeded(executionId);
	const [first, second, ...others] = n8n.service.starts;
	assert.match(second.task, /^The one-time code is 123456\./);
	assert.deepEqual([second.body.thread_id, others], [first.threadId, []]);
	return execution;
}

it('one-time-code asks a person for the code, and signs in with it in the same thread', async () => {
	const id = await startWaiting('one-time-code');
	const [, { text }] = mail.mails;
	assert.match(text, /The portal asks for a one-time code/);
	const [, address] = /href="([^"]*webhook-waiting[^"]*)"/.exec(text);
	const { items } = await enterCode(address.replaceAll('&amp;', '&'), id);
	assert.equal(items('Use the Result')[0].json.result, 'Signed in. Open invoices: 17 and 23.');
});

it('if-something-stops-the-agent asks a person for a code by a form, and continues in the same thread', async () => {
	const query = 'List my open invoices. If the portal asks for a one-time code, stop there.';
	const changes = { 'Run Automation': { operation: 'result', query }, 'Continue the Run': { operation: 'result' } };
	const prepare = (workflow) => byMail(workflow, 'Ask for the Code');
	const id = await startWaiting('if-something-stops-the-agent', changes, prepare);
	const [, url] = /Enter it here: (\S+)/.exec(mail.mails[0].text);
	const { items, nodes } = await enterCode(url, id);
	assert.deepEqual([items('Use the Rows').length, nodes.includes('Tell Me')], [1, false]);
});

for (const name of ['approve-a-step', 'one-time-code']) {
	it(`${name} starts no run without a credential for the mail`, async () => {
		const workflow = example(name);
		for (const node of workflow.nodes) if (node.credentials?.smtp) delete node.credentials;
		const { status, error } = await n8n.execute((await n8n.createWorkflow(workflow)).id);
		assert.deepEqual([status, n8n.service.starts], ['error', []]);
		assert.match(error.message, /credentials/);
	});
}

/** The question of the example with an agent, with which the mock model calls the tool. */
const agentAsks = (task) => {
	const question = { name: 'question', type: 'string', value: `call {"toolParameters":{"Task":"${task}"}}` };
	return { Question: { assignments: { assignments: [{ id: '1', ...question }] } } };
};

for (const [answer, started, told] of [
	['true', ['quick one'], /"text":"Done: one\."/],
	['false', [], /User rejected the tool call to Run Automation/],
]) {
	it(`agent-with-approval starts ${started.length} runs after the person has answered ${answer}, and no more`, async () => {
		const id = await startWaiting('agent-with-approval', agentAsks('quick one'));
		assert.match(mail.mails[0].text, /Every run is billed\.\n\nTask:\n\nquick one</);
		assert.deepEqual(n8n.service.starts, []);
		const button = buttonOf(mail.mails, answer);
		await open(button);
		const { items } = await succeeded(id);
		assert.match(items('Use the Answer')[0].json.answer, told);
		// A button that is pressed again does nothing.
		await open(button);
		const tasks = n8n.service.starts.map(({ task }) => task);
		assert.deepEqual(tasks, started);
	});
}

// n8n looks every minute for executions whose limit has passed, so all of them wait together.
it('each of them continues after its limit', async () => {
	const limit = { limitType: 'afterTimeInterval', resumeAmount: 0.01, resumeUnit: 'minutes' };
	const task = 'Compare the prices of two shops';
	const options = { limitWaitTime: { values: limit } };
	const calledBack = { 'Start in Background': { query: task }, 'Wait for the Callback': limit };
	const callback = await start('start-and-wait-for-callback', calledBack);
	const unanswered = { ...agentAsks('quick unanswered'), 'Ask a Person': { options } };
	const agent = await start('agent-with-approval', unanswered);
	const approval = { 'Run Automation': { query: 'approval' }, 'Ask a Person': { options } };
	const step = await start('approve-a-step', approval);
	const code = await start('one-time-code', { 'Ask for the Code': { options } });

	const query = 'If the portal asks for a one-time code, stop there.';
	const codeless = { 'Run Automation': { operation: 'result', query }, 'Enter the Code': limit };
	const noCode = await start('if-something-stops-the-agent', codeless);

	const [{ json }] = (await succeeded(callback)).items('Use the Result');
	const first = n8n.service.starts.find((start) => start.task === task);
	assert.match(json.result, /Earlier in this thread: Compare the prices of two shops/);
	assert.equal(json.thread_id, first.threadId);
	assert.match((await succeeded(agent)).items('Use the Answer')[0].json.answer, /User rejected the tool call/);
	assert.ok(!n8n.service.starts.some((start) => start.task === 'quick unanswered'));
	// What the run reports as data must not pass for an approval: the fields of the result are not handed on.
	const [asked] = (await succeeded(step)).items('Ask a Person');
	assert.deepEqual(Object.keys(asked.json), ['request', 'text', 'thread_id']);
	assert.ok(n8n.service.starts.some(({ body }) => body.query.startsWith('A person does not approve this.')));
	assert.equal((await succeeded(noCode)).items('Tell Me').length, 1);
	assert.ok(!n8n.service.starts.some(({ task }) => task.startsWith('The one-time code is')));
});
