// n8n in queue mode, as docs/queue-mode.md tells to run it: PostgreSQL, Redis, main, workers and a webhook process, each
// on a free port and with a folder of its own.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchN8n } from '../../demo/lib/n8n.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { freePort, launch, run } from '../../demo/lib/processes.mjs';
import { example, nodeOf, startInstance, until } from './instance.mjs';
import { program } from './program.mjs';

/** The text of the document that tells how to run n8n so. */
export const guide = readFileSync(join(root, 'docs', 'queue-mode.md'), 'utf8');

/** The settings that the document wants for all processes, by name. */
const documented = Object.fromEntries(
	/```ini\n(.+?)```/s
		.exec(guide)[1]
		.trim()
		.split('\n')
		.map((line) => line.split(/=(.*)/, 2)),
);

/** The settings of all processes as the document has them, with the addresses and secrets of this place. */
function settings(here) {
	const missing = Object.keys(here).filter((name) => !(name in documented));
	const open = Object.keys(documented).filter((name) => documented[name].startsWith('<') && !(name in here));
	assert.deepEqual({ missing, open }, { missing: [], open: [] }, 'docs/queue-mode.md and the test differ');
	return { ...documented, ...here };
}

/**
 * Starts PostgreSQL, Redis, and n8n's main, two workers and a webhook process.
 *
 * @param {Record<string, string>} workerSettings environment variables of the workers
 * @returns what `startInstance` gives, and `workers`, `webhook`, `replace` and `workerOf`
 */
export async function startQueue(workerSettings) {
	const folder = mkdtempSync(join(tmpdir(), 'n8n-queue-'));
	let n8n;
	const stop = async () => {
		// n8n ends by itself only as long as it has its databases.
		await Promise.all(processes.map((one) => one.stop()));
		await n8n?.stop();
		for (const one of databases) await one.stop();
		rmSync(folder, { recursive: true, force: true });
	};
	const processes = [];
	const databases = [];
	try {
		const postgres = await startPostgres(databases);
		const redis = await startRedis(databases);
		n8n = await startInstance({ env: settings({ N8N_ENCRYPTION_KEY: randomUUID(), ...postgres, ...redis }) });

		/** Starts a process of n8n that has a folder of its own with the package in it. */
		const startProcess = async (args, own, readyLine) => {
			const userFolder = mkdtempSync(join(folder, `${args[0]}-`));
			const packages = join('.n8n', 'nodes');
			cpSync(join(n8n.instance.userFolder, packages), join(userFolder, packages), { recursive: true });
			const started = await launchN8n({ ...n8n.instance, userFolder }, args, own);
			processes.push(started);
			let over = false;
			void started.ended.then(() => (over = true));
			await until(`${args[0]} is ready`, () => {
				assert.ok(!over, started.output());
				return started.output().includes(readyLine);
			});
			return started;
		};
		const startWorker = async () =>
			await startProcess(['worker', '--concurrency=5'], workerSettings, 'n8n worker is now ready');
		const startWebhook = async () => {
			const port = await freePort();
			const url = `http://127.0.0.1:${port}`;
			const settings = { N8N_PORT: String(port), WEBHOOK_URL: url };
			return { url, ...(await startProcess(['webhook'], settings, 'Webhook listener waiting for requests')) };
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

/** A workflow behind a webhook that streams what its runs do, one run for each element of `tasks`, and its path. */
export function streamingWebhook(settings = {}) {
	const webhookId = randomUUID();
	const batch = example('batch-with-error-branch');
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

/** The ids of the executions that a worker has begun, in order. */
export const executionsOf = ({ output }) =>
	[...output().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id);

async function startRedis(databases) {
	const port = await freePort();
	const redis = launch([
		program('redis-server', 'redis-server'),
		...['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'],
	]);
	databases.push(redis);
	await until('Redis accepts connections', () => redis.output().includes('Ready to accept connections'));
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) };
}

async function startPostgres(databases) {
	const initdb = program('initdb', 'postgresql');
	const postgres = program('postgres', 'postgresql');
	const folder = mkdtempSync(join(tmpdir(), 'n8n-postgres-'));
	databases.push({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
	// PostgreSQL refuses to run as root; its Debian package comes with a user for it.
	const isRoot = process.getuid?.() === 0;
	const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'] : [];
	if (isRoot) await orFail(['chown', 'postgres:postgres', folder]);

	const data = join(folder, 'data');
	const user = 'n8n';
	await orFail([...asUser, initdb, '-D', data, '--auth=trust', `--username=${user}`, '--encoding=UTF8', '--no-sync']);
	const port = await freePort();
	const server = launch(
		[...asUser, postgres, '-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1', '-c', 'fsync=off'],
		{ cwd: folder },
	);
	databases.unshift(server);
	await until('PostgreSQL accepts connections', () => server.output().includes('ready to accept connections'));
	return {
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: user,
		DB_POSTGRESDB_PASSWORD: 'not asked for',
	};
}

async function orFail(command) {
	const { code, output } = await run(command, { cwd: tmpdir() });
	assert.equal(code, 0, output);
}
