import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError } from './failure.mjs';
import { fetchN8n } from './fetch.mjs';
import { owner } from './n8n.mjs';
import { demo, home, root } from './paths.mjs';

/** A busy machine is slow. */
const PATIENCE_MS = 300_000;
const ENDED = ['success', 'error', 'canceled', 'crashed'];
/** What to do if an execution is not as it must be. */
export const LOOK = 'run npm run dev and execute the workflow in the editor.';

/** Logs in to a running n8n as its owner. */
export async function logIn(url) {
	const headers = { 'content-type': 'application/json' };

	async function send(method, path, body) {
		return await fetchN8n(`${url}/rest${path}`, { method, headers, body: body && JSON.stringify(body) });
	}

	async function call(method, path, body) {
		const response = await send(method, path, body);
		const text = await response.text();
		if (response.ok) return JSON.parse(text).data;
		throw new DemoError(`n8n responded with ${response.status} to ${method} ${path}.`, { output: text, next: LOOK });
	}

	const login = await send('POST', '/login', { emailOrLdapLoginId: owner.email, password: owner.password });
	if (!login.ok) {
		throw new DemoError("n8n rejected the demo's login.", {
			output: await login.text(),
			next: `if you changed the password, remove ${relative(root, home)}, then run this command again.`,
		});
	}
	const cookies = login.headers.getSetCookie().map((value) => value.split(';')[0]);
	headers.cookie = cookies.join('; ');

	/** Stores a credential, in place of one of the same name and type, and returns its ID. */
	async function storeCredential({ name, type, data }) {
		const stored = await call('GET', '/credentials');
		const found = stored.find((credential) => credential.name === name && credential.type === type);
		const content = { name, type, data };
		const { id } = found
			? await call('PATCH', `/credentials/${found.id}`, content)
			: await call('POST', '/credentials', content);
		return id;
	}

	/** Stores a workflow, in place of one with the same ID. */
	async function storeWorkflow(workflow) {
		const { status } = await send('GET', `/workflows/${workflow.id}`);
		if (status === 404) await call('POST', '/workflows', workflow);
		else await call('PATCH', `/workflows/${workflow.id}?forceSave=true`, workflow);
	}

	/** Starts a stored workflow as *Execute workflow* does, and returns the ID of its execution. */
	async function start(id) {
		return (await call('POST', `/workflows/${id}/run`, { triggerToStartFrom: { name: 'Try It Now' } })).executionId;
	}

	/** Waits until an execution has ended, and returns it with the results of its nodes. */
	async function ended(executionId) {
		// Not while this file is loaded: nothing may be installed yet.
		const { parse } = createRequire(join(demo, 'package.json'))('flatted');
		for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(100)) {
			const { id, status, data } = await call('GET', `/executions/${executionId}`);
			// The data of a manual execution that was stopped on a worker has no `runData`.
			if (ENDED.includes(status)) return { id, status, runData: {}, ...parse(data).resultData };
		}
		throw new DemoError(`execution ${executionId} did not end within ${PATIENCE_MS / 1000} s.`, { next: LOOK });
	}

	return { call, cookie: headers.cookie, storeCredential, storeWorkflow, start, ended };
}
