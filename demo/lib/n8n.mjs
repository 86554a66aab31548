import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError } from './failure.mjs';
import { fetchN8n } from './fetch.mjs';
import { environmentWith, freePort, launch } from './processes.mjs';

/** A busy machine is slow. */
const PATIENCE_MS = 600_000;

/** The owner that `setUpOwner` creates. The password is for localhost only: n8n listens on 127.0.0.1. */
export const owner = { email: 'demo@example.com', password: 'Automation1', firstName: 'Demo', lastName: 'Owner' };

/**
 * Runs one command of n8n to its end, for example `['import:workflow', '--input=x.json']`.
 *
 * @param instance `{ installation, userFolder, env }`: what `installN8n` returns, the N8N_USER_FOLDER, and further variables
 */
export async function n8nCli(instance, args) {
	const program = await launchN8n(instance, args, { N8N_LOG_FORMAT: 'json', N8N_LOG_LEVEL: 'info' });
	const code = await program.ended;
	return { code, output: program.output(), logs: program.stdout().split('\n').flatMap(logLine) };
}

/** Starts a command of n8n that stays, for example `['worker']`. The variables of the instance go before those of the command. */
export async function launchN8n(instance, args, settings = {}) {
	const { node, script } = instance.installation;
	return launch([node, script, ...args], { env: await environment(instance, settings) });
}

/** Starts n8n and waits until its editor can be used. Without a port, a free one is taken. */
export async function startN8n({ port, ...instance }) {
	const listenOn = port ?? (await freePort());
	const url = `http://127.0.0.1:${listenOn}`;
	const addresses = { N8N_PORT: String(listenOn), N8N_EDITOR_BASE_URL: url, WEBHOOK_URL: url };
	const server = await launchN8n(instance, ['start'], addresses);
	let over = false;
	void server.ended.then(() => (over = true));

	for (const deadline = Date.now() + PATIENCE_MS; !over && Date.now() < deadline; await sleep(250)) {
		if (await isReady(url)) return { url, pid: server.pid, log: server.output, ended: server.ended, stop: server.stop };
	}
	await server.stop();
	// Another program may have taken the port meanwhile.
	if (port === undefined && /port \d+ is already in use/.test(server.output())) return await startN8n(instance);
	throw new DemoError('n8n did not start.', {
		output: server.output(),
		next: `remove ${instance.userFolder} if an earlier run damaged it, then run this command again.`,
	});
}

/** Creates the owner account of a new n8n; leaves one that has an owner as it is. */
export async function setUpOwner(url) {
	const { data } = await (await fetchN8n(`${url}/rest/settings`)).json();
	if (!data.userManagement.showSetupOnFirstLoad) return;
	const response = await fetchN8n(`${url}/rest/owner/setup`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(owner),
	});
	if (!response.ok) {
		throw new DemoError(`n8n responded with ${response.status} instead of creating the owner account.`, {
			output: await response.text(),
			next: 'open the editor and create the account there.',
		});
	}
}

/** Stores credentials, `{ id, name, type, data }`, in place of those with the same ids. */
export async function importCredentials(instance, credentials) {
	// Through a file that only this user can read and that is deleted afterwards.
	const folder = mkdtempSync(join(tmpdir(), 'n8n-import-'));
	const file = join(folder, 'credentials.json');
	try {
		writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
		const { code, logs, output } = await n8nCli(instance, ['import:credentials', `--input=${file}`]);
		if (code !== 0 || !logs.some(({ message }) => message.startsWith(`Successfully imported ${credentials.length} `))) {
			throw new DemoError('n8n did not import the credentials.', {
				output,
				next: `remove ${instance.userFolder} if an earlier run damaged it, then run this command again.`,
			});
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The environment of this process without settings of another n8n, and with those of this one. */
async function environment({ installation, userFolder, env }, settings) {
	mkdirSync(userFolder, { recursive: true });
	const inherited = Object.entries(environmentWith(installation.node)).filter(
		([name]) => !/^(N8N|DB|QUEUE|EXECUTIONS|NODES|WEBHOOK|npm)_/.test(name) && name !== 'NODE_OPTIONS',
	);
	return {
		...Object.fromEntries(inherited),
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		...settings,
		...env,
	};
}

async function isReady(url) {
	try {
		const headers = { connection: 'close' };
		const response = await fetch(`${url}/rest/settings`, { headers, signal: AbortSignal.timeout(5_000) });
		return response.ok && (await response.json()).data !== undefined;
	} catch {
		return false;
	}
}

function logLine(line) {
	try {
		const { level, message } = JSON.parse(line);
		return typeof message === 'string' ? [{ level, message }] : [];
	} catch {
		return [];
	}
}
