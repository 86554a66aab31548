// A real n8n with the package in it and the mock service in this process. Needs what `npm run demo` installs.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { tsImport } from 'tsx/esm/api';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { installN8n } from '../../demo/lib/install.mjs';
import { importCredentials, setUpOwner, startN8n } from '../../demo/lib/n8n.mjs';
import { buildPackage, installPackage } from '../../demo/lib/package.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { stopAll } from '../../demo/lib/processes.mjs';
import { logIn } from '../../demo/lib/session.mjs';

/** A machine that is busy takes its time. */
export const PATIENCE_MS = 300_000;

/** The settings of a node that is tried three times. */
export const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

/** Waits until something is so, and gives it. */
export async function until(what, isSo) {
	for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(100)) {
		const found = await isSo();
		if (found) return found;
		if (Date.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s, and still not: ${what}`);
	}
}

/** Waits for the n-th start of a run, 1 for the first. */
export const startOf = async ({ service }, n = 1) => await until(`start ${n} is received`, () => service.starts[n - 1]);

/** How the connection of a run was closed, once it is: `finished` or `aborted`. */
export const closingOf = async (run) => await until('the connection of the run is closed', () => run.outcome);

/** Reads an example workflow. */
export const example = (name) => JSON.parse(readFileSync(join(root, 'examples', `${name}.json`), 'utf8'));

/** Reads a workflow that only the tests use: `one-run`, or `batch`, a run for each of many tasks with an error output. */
export const workflowFor = (name) => JSON.parse(readFileSync(join(root, 'test/e2e/workflows', `${name}.json`), 'utf8'));

/** A node of a workflow. */
export function nodeOf(workflow, name) {
	const node = workflow.nodes.find((candidate) => candidate.name === name);
	assert.ok(node, `no node "${name}" in "${workflow.name}"`);
	return node;
}

/** A copy of a workflow in which the parameters of some nodes are changed: `{ 'Node Name': { query: '…' } }`. */
export function withParameters(workflow, changes) {
	const copy = structuredClone(workflow);
	for (const [name, parameters] of Object.entries(changes)) Object.assign(nodeOf(copy, name).parameters, parameters);
	return copy;
}

/** A copy of a workflow in which a node for Slack, which has one address only, sends its text by mail. */
export function byMail(workflow, name) {
	const copy = structuredClone(workflow);
	const node = nodeOf(copy, name);
	const { text } = node.parameters;
	const message = { subject: 'Message', emailFormat: 'text', text, options: { appendAttribution: false } };
	Object.assign(node, {
		...{ type: 'n8n-nodes-base.emailSend', typeVersion: 2.1, disabled: false },
		credentials: { smtp: { id: 'smtp', name: 'SMTP' } },
		parameters: { fromEmail: 'a@example.com', toEmail: 'b@example.com', ...message },
	});
	return copy;
}

/** An error workflow that only receives; `received` gives what was said of each execution, by its id. */
export async function publishErrorWorkflow(n8n) {
	const workflow = example('tell-me-when-a-run-fails');
	const trigger = nodeOf(workflow, 'When a Workflow Fails');
	const id = await n8n.publish({ ...workflow, nodes: [trigger], connections: {} });
	const received = async () => {
		const said = new Map();
		for (const own of await n8n.executionsOf(id)) {
			const [{ json }] = (await n8n.ended(own.id)).items(trigger.name);
			said.set(json.execution.id, json.execution.error);
		}
		return said;
	};
	return { id, received };
}

/** Publishes a workflow with a form, and sends the values of its fields. */
export async function submitForm(n8n, workflow, name, values) {
	const webhookId = randomUUID();
	nodeOf(workflow, name).webhookId = webhookId;
	const id = await n8n.publish(workflow);
	const form = `${n8n.url}/form/${webhookId}`;
	// A form that is not there yet is refused while its values are still being sent.
	await until('the form is there', async () => (await fetchN8n(form)).ok);
	const body = new FormData();
	for (const [index, value] of values.entries()) body.append(`field-${index}`, value);
	return { id, response: await fetchN8n(form, { method: 'POST', body }) };
}

/** Publishes the example with a form, some parameters of its run changed, sends a document with it, and gives the execution. */
export async function submitDocument(n8n, parameters = {}) {
	const workflow = withParameters(example('upload-a-document'), { 'Run Automation': parameters });
	const document = new File(['Invoice 17\nTwo lamps'], 'invoice.txt', { type: 'text/plain' });
	const { id, response } = await submitForm(n8n, workflow, 'Document Form', [document]);
	assert.ok(response.ok, await response.text());
	return await n8n.lastExecution(id);
}

/**
 * Starts the service and n8n, stores the credential that the examples name, and logs in. `before` is called before n8n starts, with
 * what n8n's commands need.
 */
export async function startInstance({ env, credentials = [], before = async () => {} } = {}) {
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
	const stop = async () => {
		await stopAll();
		await service?.stop();
		rmSync(userFolder, { recursive: true, force: true });
	};
	let service;
	try {
		const instance = { installation: await installN8n(), userFolder, env };
		if (!process.env.E2E_PACKAGE_IS_BUILT) await buildPackage();
		await installPackage(userFolder);
		const { Service } = await tsImport('../service/service.ts', import.meta.url);
		service = new Service();
		await service.listen();
		const { baseUrl, automationUrl, apiKey } = service;
		const data = { baseUrl, automationUrl, apiKey, allowUnencrypted: false };
		const own = { id: 'browserAutomation', name: 'Browser Automation account', type: 'browserAutomationApi', data };
		const storeCredential = async () => await importCredentials(instance, [own]);
		await importCredentials(instance, [own, ...credentials]);
		await before(instance);
		const n8n = await startN8n(instance);
		await setUpOwner(n8n.url);
		const known = { url: n8n.url, pid: n8n.pid, log: n8n.log, instance, service };
		return { ...(await workWith(n8n.url)), ...known, storeCredential, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** What one can do with n8n's own interface. */
async function workWith(url) {
	const { call, cookie, start, ended: endOf } = await logIn(url);

	/** Stores a workflow under an id of n8n's choice. */
	const createWorkflow = async ({ id: _id, active: _active, ...workflow }) =>
		await call('POST', '/workflows', workflow);

	/** Stores a workflow and publishes it, so that its webhooks answer. */
	const publish = async (workflow) => {
		const { id, versionId } = await createWorkflow(workflow);
		await call('POST', `/workflows/${id}/activate`, { versionId });
		return id;
	};

	const ended = async (executionId) => readExecution(await endOf(executionId));
	const execute = async (id) => await ended(await start(id));

	/** The thread that an execution names in its custom data, which n8n stores a moment after the execution itself. */
	const threadOf = async (executionId) =>
		await until(`execution ${executionId} names its thread`, async () => {
			const { customData } = await call('GET', `/executions/${executionId}`);
			return customData?.thread_ids;
		});

	/** The content of a file in the output of a node. */
	const bytesOf = async ({ id }) => {
		const address = `${url}/rest/binary-data?id=${encodeURIComponent(id)}&action=download`;
		return Buffer.from(await (await fetchN8n(address, { headers: { cookie } })).arrayBuffer());
	};

	/** The executions of a workflow at this moment, the newest first. */
	const executionsOf = async (workflowId) => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await call('GET', `/executions?filter=${filter}&limit=100`);
		// n8n looks up running and ended executions apart: one that ends in between is in its list twice.
		return [...new Map(results.map((execution) => [execution.id, execution])).values()];
	};

	/** The last execution of a workflow, once it has ended. */
	const lastExecution = async (workflowId) => {
		const last = await until(`an execution of ${workflowId}`, async () => (await executionsOf(workflowId)).at(0));
		return await ended(last.id);
	};

	/** Presses Retry on an execution, with the workflow of that time or as it is now; gives the new execution once it has ended. */
	const retry = async (executionId, loadWorkflow = false) => {
		const { workflowId } = await call('GET', `/executions/${executionId}`);
		const retries = async () =>
			(await executionsOf(workflowId)).filter(({ retryOf }) => String(retryOf) === String(executionId));
		const earlier = (await retries()).map(({ id }) => id);
		let refusal;
		// n8n responds once it knows that the new execution has ended: of a worker, that was once more than five minutes later.
		call('POST', `/executions/${executionId}/retry`, { loadWorkflow }).catch((error) => (refusal = error));
		const { id } = await until(`execution ${executionId} is retried`, async () => {
			if (refusal) throw refusal;
			return (await retries()).find((execution) => !earlier.includes(execution.id));
		});
		return await ended(id);
	};
	const executions = { start, execute, ended, retry, executionsOf, lastExecution };
	return { cookie, call, createWorkflow, publish, threadOf, bytesOf, ...executions };
}

/** An execution as a test reads it. */
function readExecution({ id, status, runData, error }) {
	const last = (node) => runData[node]?.at(-1);
	return {
		...{ id, status, error, nodes: Object.keys(runData) },
		errorOf: (node) => last(node)?.error,
		/** The output of a node in its last run. */
		items: (node) => last(node)?.data?.main?.[0] ?? [],
		/** All outputs of a node in each of its runs. */
		outputs: (node) => (runData[node] ?? []).map(({ data }) => data.main),
	};
}

/** Posts to a webhook that streams, and reads the chunks: `{ type, content, metadata }`. */
export async function postStreaming(url, body, { headers, onChunk = () => {} } = {}) {
	const sent = { 'content-type': 'application/json', ...headers };
	const request = { method: 'POST', headers: sent, body: JSON.stringify(body) };
	// n8n registers the webhooks of a workflow a moment after it was published: until then it answers 404 and does nothing.
	const response = await until(`${url} is registered`, async () => {
		const found = await fetchN8n(url, request);
		if (found.status !== 404) return found;
		await found.body.cancel();
	});
	assert.ok(response.ok, String(response.status));
	const chunks = [];
	for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
		if (!line.trim()) continue;
		chunks.push(JSON.parse(line));
		onChunk(chunks.at(-1));
	}
	return chunks;
}

/** The text that a reader of the chunks of a webhook or a chat has seen. */
export const textOf = (chunks) => chunks.map(({ type, content }) => (type === 'item' ? content : '')).join('');

/**
 * Has a run of the task `held` watched, and lets it go on only when the first half of its text is shown: if it were not shown
 * during the run, it never would be. `watch` gives the chunks at the end.
 */
export async function watchHeld({ service }, watch) {
	const seen = [];
	const watching = watch((chunk) => seen.push(chunk));
	const half = until('the first half of the text is shown', () => textOf(seen).includes('tick-5'));
	await Promise.race([half, watching]);
	service.release();
	return await watching;
}

/** Presses Stop, or leaves it to the time limit of the workflow, and asserts that this closes the connection of the one run. */
export async function assertStops(n8n, executionId, run, { hasLimit = false } = {}) {
	if (!hasLimit) await n8n.call('POST', `/executions/${executionId}/stop`);
	assert.equal(await closingOf(run), 'aborted');
	// The node ends a tenth before n8n's own time limit, with an error that keeps the thread.
	assert.equal((await n8n.ended(executionId)).status, hasLimit ? 'error' : 'canceled');
	assert.equal(n8n.service.starts.length, 1);
}
