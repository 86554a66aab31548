/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import type { INodeExecutionData } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, registry, RUN_AUTOMATION, runNode, type Target } from '../engine/run-node';
import { serveFault, type Fault } from '../faults/fault-server';
import { faults } from '../faults/faults';
import { startService } from '../service/service';
import { table } from './report';

/** Where each error was seen, by its message and description. */
const seen = new Map<string, Set<string>>();

const TIME_OR_ID = /\d{4}-\d\d-\d\dT[\d:.]+Z|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

function note(where: string, message: string, description?: string | null) {
	const key = JSON.stringify([message, description ?? '']).replace(TIME_OR_ID, '…');
	seen.set(key, (seen.get(key) ?? new Set()).add(where));
}

/** Runs an operation of Browser Automation, or else Run Automation, and notes the error. */
async function run(target: Target, name: string, form = {}, where = name, input?: INodeExecutionData[]) {
	const { resource, required } = operations.find(({ operation }) => operation === name) ?? {};
	const type = resource ? BROWSER_AUTOMATION : RUN_AUTOMATION;
	const parameters = resource ? { resource, operation: name, ...required } : { query: 'Do it' };
	const { error } = await runNode(type, target, { ...parameters, ...form }, { input });
	if (error) note(where, error.message, error.description);
}

/** Does so against a server that meets every request with one fault, or is not there. */
async function meet(given: Fault | 'refused', where: string, name: string, form = {}) {
	const url = given === 'refused' ? 'http://127.0.0.1:1' : (await serveFault(given)).url;
	const user = { username: 'a', password: 'b' };
	await run({ baseUrl: url, automationUrl: url, apiKey: 'some-key', user }, name, form, where);
}

const reply =
	(status: number, body: string): Fault =>
	async ({ head, send, end }) => {
		// A busy service asks for more than a node waits.
		await head(`${status} Status`, { 'content-type': 'application/json', 'retry-after': '300', connection: 'close' });
		await send(body);
		end();
	};

const RUN = 'Run Automation';
const LOGIN = { authentication: 'oAuth2Password' };
const COOKIES = ['', '{', '{}', '[]', '[1]', 'no tabs', '[{"name":"sid"}]', '[{"name":7,"value":8,"domain":9}]'];
const EXAMPLES = ['{', '{"a": null}', '{"": 1}', '{"error": 1}', '{"a": 1}'];
const FORMS: Array<[name: string, ...forms: object[]]> = [
	['start', { query: '={{ " " }}' }, { query: '={{ {} }}' }, { threadId: 'thread-7' }, LOGIN],
	['delete', { mailboxId: '={{ "" }}' }, { mailboxId: '=..' }],
	['search', { options: { additionalBodyFields: '={{ "[1]" }}' } }, { options: { depth: '={{ 5 }}' } }],
	['connectWallet', { options: { sdkVersion: '1…' } }],
	['getReplay', { waitForRecording: true, maximumWait: '={{ "long" }}' }],
	['getReplay', { sessionId: 'processing-9' }, { sessionId: 'unavailable' }, { sessionId: 'failed' }],
	['getReplay', { sessionId: 'processing-9', waitForRecording: true, maximumWait: 0.1 }],
	[
		'setCookies',
		{ cookiesFrom: 'binary' },
		...COOKIES.map((text) => ({ cookiesJson: `={{ ${JSON.stringify(text)} }}` })),
	],
	[RUN, { query: '={{ " " }}' }, { query: '={{ [] }}' }, { threadId: 'thread-7' }, { operation: 'rows', columns: {} }],
	[
		RUN,
		...['idleTimeout', 'maxResponseSize', 'parallelRuns'].map((name) => ({ options: { [name]: '={{ "many" }}' } })),
	],
	[RUN, ...EXAMPLES.map((jsonExample) => ({ operation: 'rows', columnsFrom: 'example', jsonExample }))],
	[RUN, ...'failed,aborted,incomplete,approval,cut,json,empty500,message'.split(',').map((query) => ({ query }))],
];
const URLS = ['', 'api.example.com', 'https://', 'ftp://e.co', 'http://e.co', 'https://a:b@e.co', 'https://e.co/?'];
const USERS = [',x', 'a,', 'a,x'].map((user) => user.split(','));
const STATUSES = [302, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 418, 422, 429, 500, 529];

/** Prints every error that can be provoked on the engine, with its advice, as one table: npm run errors. */
async function main() {
	const service = await startService();
	for (const [name, ...forms] of FORMS) for (const form of forms) await run(service, name, form);
	await run(service, 'start', {}, 'start', [{ json: {} }, { json: {} }]);
	for (const url of URLS) await run({ ...service, automationUrl: url }, RUN, {}, 'Credential');
	for (const apiKey of ['', 'kéy', 'wrong']) await run({ ...service, apiKey }, 'search', {}, 'Credential');
	for (const [username, password] of USERS)
		await run({ ...service, user: { username, password } }, 'search', LOGIN, 'Sign-in');
	for (const { test } of Object.values(registry.credentials))
		for (const { properties } of test.rules!) note('Test', properties.message);
	await meet(reply(200, '{"success":false,"message":"Its reason"}'), 'setCookies', 'setCookies');
	for (const status of STATUSES) {
		for (const fault of ['', '{"detail":"Its reason"}'].map((body) => reply(status, body))) {
			await meet(fault, `search ${status}`, 'search');
			await meet(fault, `${RUN} ${status}`, RUN, { options: { waitIfBusy: 0 } });
			await meet(fault, `Sign-in ${status}`, 'search', LOGIN);
		}
	}
	for (const { name, run: ofRun, answer, options } of faults.filter(({ isHeavy }) => !isHeavy)) {
		if (ofRun) await meet(ofRun, name, RUN, { options: { waitIfBusy: 0, ...options } });
		if (answer) await meet(answer, name, 'search');
	}
	const rows = [...seen].map(([key, where]) => [[...where].join(', '), ...(JSON.parse(key) as string[])]);
	console.log(table(['Where', 'Message', 'Description'], rows));
	process.exit();
}

void main();
