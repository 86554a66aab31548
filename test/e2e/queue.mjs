// n8n in queue mode, as docs/operations.md tells to run it: PostgreSQL, Redis, main, workers and a webhook process, each
// on a free port and with a folder of its own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchN8n } from '../../demo/lib/n8n.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { freePort, launch } from '../../demo/lib/processes.mjs';
import { nodeOf, startInstance, until, workflowFor } from './instance.mjs';
import { program } from './program.mjs';

/** The text of the document that tells how to run n8n so. */
export const guide = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');

/** The settings that the document wants for all processes, by name. */
const documented = Object.fromEntries(
	[.../```ini\n(.+?)```/s.exec(guide)[1].matchAll(/^(.+?)=(.*)$/gm)].map(([, name, value]) => [name, value]),
);

/** The settings of all processes as the document has them, with the addresses and secrets of this place. */
function settings(here) {
	const all = { ...documented, ...here };
	assert.deepEqual(Object.keys(all), Object.keys(documented), 'docs/operations.md lacks a setting of the test');
	assert.ok(!Object.values(all).some((value) => value.startsWith('<')), 'a setting of docs/operations.md is open');
	return all;
}

/** Starts PostgreSQL, Redis, and n8n's main, a webhook process and two workers with these environment variables. */
export async function startQueue(workerSettings) {
	const folder = mkdtempSync(join(tmpdir(), 'n8n-queue-'));
	/** What is stopped last stands first: n8n ends by itself only as long as it has its databases. */
	const started = [{ stop: () => rmSync(folder, { recursive: true, force: true }) }];
	const stop = async () => {
		for (const one of started.reverse()) await one.stop();
	};
	try {
		const postgres = await startPostgres(folder, started);
		const redis = await startRedis(started);
		const n8n = await startInstance({ env: settings({ N8N_ENCRYPTION_KEY: randomUUID(), ...postgres, ...redis }) });
		const processes = [];
		started.push(n8n, { stop: async () => await Promise.all(processes.map((one) => one.stop())) });

		/** Starts a process of n8n that has a folder of its own with the package in it. */
		const startProcess = async (args, own, readyLine) => {
			const userFolder = mkdtempSync(join(folder, `${args[0]}-`));
			const packages = join('.n8n', 'nodes');
			cpSync(join(n8n.instance.userFolder, packages), join(userFolder, packages), { recursive: true });
			const program = await launchN8n({ ...n8n.instance, userFolder }, args, own);
			processes.push(program);
			const over = program.ended.then(() => assert.fail(program.output()));
			await Promise.race([over, until(`${args[0]} is ready`, () => program.output().includes(readyLine))]);
			return program;
		};
		const startWorker = async () => {
			const own = { WEBHOOK_URL: n8n.url, ...workerSettings };
			return await startProcess(['worker', '--concurrency=5'], own, 'n8n worker is now ready');
		};
		const startWebhook = async () => {
			const port = String(await freePort());
			const url = `http://127.0.0.1:${port}`;
			const own = { N8N_PORT: port, WEBHOOK_URL: url };
			return { url, ...(await startProcess(['webhook'], own, 'Webhook listener waiting for requests')) };
		};
		const [one, two, webhook] = await Promise.all([startWorker(), startWorker(), startWebhook()]);
		const workers = [one, two];

		/** Puts a new worker in the place of one that ends. */
		const replace = async (worker) => {
			workers[workers.indexOf(worker)] = await startWorker();
		};

		/** The worker that took an execution on, once one has. */
		const workerOf = async (executionId) =>
			await until(`a worker has execution ${executionId}`, () =>
				workers.find((worker) => executionsOf(worker).includes(executionId)),
			);
		return { ...n8n, workers, webhook, replace, workerOf, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** The ids of the executions that a worker has begun, in order. */
export const executionsOf = ({ output }) =>
	[...output().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id);

/** A workflow behind a webhook that streams what its runs do, one run for each element of `tasks`, and its path. */
export function streamingWebhook(settings = {}) {
	const webhookId = randomUUID();
	const batch = workflowFor('batch');
	const webhook = {
		...{ id: randomUUID(), name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2.1, position: [0, 0] },
		parameters: { httpMethod: 'POST', path: webhookId, responseMode: 'streaming', options: {} },
		webhookId,
	};
	const split = nodeOf(batch, 'One Item per Task');
	split.parameters.fieldToSplitOut = 'body.tasks';
	const run = { ...nodeOf(batch, 'Run Automation'), onError: 'stopWorkflow', ...settings };
	const to = ({ name }) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });
	const connections = { Webhook: to(split), [split.name]: to(run) };
	return { workflow: { ...batch, nodes: [webhook, split, run], connections }, path: `/webhook/${webhookId}` };
}

async function startRedis(started) {
	const port = String(await freePort());
	const options = ['--bind', '127.0.0.1', '--port', port, '--save', '', '--appendonly', 'no'];
	const redis = launch([program('redis-server'), ...options]);
	started.push(redis);
	await until('Redis accepts connections', () => redis.output().includes('Ready to accept connections'));
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}

/** Starts PostgreSQL in a folder, and gives the settings with which n8n keeps its data there. */
async function startPostgres(folder, started) {
	const [initdb, postgres] = ['initdb', 'postgres'].map((name) => program(name));
	const own = mkdtempSync(join(folder, 'postgres-'));
	const data = join(own, 'data');
	const port = String(await freePort());
	// PostgreSQL refuses to run as root; its Debian package comes with a user for it.
	const isRoot = process.getuid?.() === 0;
	const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'] : [];
	chmodSync(folder, 0o755);
	const runNow = ([name, ...args]) => execFileSync(name, args, { cwd: own });
	if (isRoot) runNow(['chown', 'postgres:postgres', own]);
	runNow([...asUser, initdb, '-D', data, '--auth=trust', '--username=n8n', '--encoding=UTF8', '--no-sync']);
	const options = ['-D', data, '-p', port, '-k', own, '-h', '127.0.0.1', '-c', 'fsync=off'];
	const server = launch([...asUser, postgres, ...options], { cwd: own });
	started.push(server);
	await until('PostgreSQL accepts connections', () => server.output().includes('ready to accept connections'));
	return {
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_PASSWORD: 'not asked for',
	};
}
