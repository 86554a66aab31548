/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../contract/operations';
import {
	BROWSER_AUTOMATION,
	registry,
	runAutomation,
	runNode,
	type NodeRunOptions,
	type Target,
} from '../engine/run-node';
import { serveFault, type Fault } from '../faults/fault-server';
import { faults } from '../faults/faults';
import { startService } from '../service/service';
import { table } from './report';

type Ran = Awaited<ReturnType<typeof runNode>>;

/** Where each error was seen, by its message and description. */
const seen = new Map<string, Set<string>>();

const TIME_OR_ID = /\d{4}-\d\d-\d\dT[\d:.]+Z|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

async function collect(where: string, run: Promise<Ran>) {
	const { error } = await run;
	if (!error) return;
	const key = JSON.stringify([error.message, error.description ?? '']).replace(TIME_OR_ID, '…');
	seen.set(key, (seen.get(key) ?? new Set()).add(where));
}

const run = async (target: Target, form: object) =>
	await runAutomation(target, { query: 'Do it', ...form } as INodeParameters);
async function operate(target: Target, name: string, form: object = {}, options: NodeRunOptions = {}) {
	const { resource, operation, required } = operations.find((tested) => tested.operation === name)!;
	return await runNode(BROWSER_AUTOMATION, target, { resource, operation, ...required, ...form }, options);
}

/** Runs against a server that meets every request with one fault, or is not there. */
async function meet(where: string, given: Fault | 'refused', use: (target: Target) => Promise<Ran>) {
	const url = given === 'refused' ? 'http://127.0.0.1:1' : (await serveFault(given)).url;
	const user = { username: 'a', password: 'b' };
	await collect(where, use({ baseUrl: url, automationUrl: url, apiKey: 'some-key', user }));
}

const reply =
	(status: number, body: string): Fault =>
	async ({ head, send, end }) => {
		await head(`${status} Status`, { 'content-type': 'application/json', connection: 'close' });
		await send(body);
		end();
	};

const LOGIN = { authentication: 'oAuth2Password' };
const COOKIES = ['', '{', '{}', '[]', '[1]', 'no tabs', '[{"name":"sid"}]', '[{"name":7,"value":8,"domain":9}]'];
const FORMS: Array<[operation: string, ...forms: object[]]> = [
	['start', { query: '={{ " " }}' }, { query: '={{ {} }}' }, { threadId: 'thread-7' }, LOGIN],
	['delete', { mailboxId: '={{ "" }}' }, { mailboxId: '=..' }],
	['search', { options: { additionalBodyFields: '={{ "[1]" }}' } }, { options: { depth: '={{ 5 }}' } }],
	['connectWallet', { options: { sdkVersion: '1…' } }],
	['getReplay', { waitForRecording: true, maximumWait: '={{ "long" }}' }],
	['getReplay', { sessionId: 'processing-9' }, { sessionId: 'unavailable' }, { sessionId: 'failed' }],
	['getReplay', { sessionId: 'processing-9', waitForRecording: true, maximumWait: 0.1 }],
	['getReplay', { downloadVideo: true, savePlaylist: true, videoField: 'a', playlistField: 'a' }],
	['setCookies', { cookiesFrom: 'binary' }],
	['setCookies', ...COOKIES.map((text) => ({ cookiesJson: `={{ ${JSON.stringify(text)} }}` }))],
];
const RUN_FORMS: object[] = [
	...[{ query: '={{ " " }}' }, { query: '={{ [] }}' }, { threadId: 'thread-7' }, { operation: 'rows', columns: {} }],
	...['idleTimeout', 'maxResponseSize', 'parallelRuns'].map((name) => ({ options: { [name]: '={{ "many" }}' } })),
	...['{', '{"a": null}', '{"": 1}', '{"error": 1}', '{"a": 1}'].map((jsonExample) => {
		return { operation: 'rows', columnsFrom: 'example', jsonExample };
	}),
	...'failed,aborted,incomplete,approval,cut,json,html,empty500,message'.split(',').map((query) => ({ query })),
];
const URLS = ['', 'api.example.com', 'https://', 'ftp://e.co', 'http://e.co', 'https://a:b@e.co', 'https://e.co/?'];
const STATUSES = [302, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 418, 422, 429, 500, 529];

/** Prints every error that can be provoked on the engine, with its advice, as one table: npm run errors. */
async function main() {
	const service = await startService();
	for (const [name, ...forms] of FORMS) for (const form of forms) await collect(name, operate(service, name, form));
	for (const form of RUN_FORMS) await collect('Run Automation', run(service, form));
	await collect('start', operate(service, 'start', {}, { input: [{ json: {} }, { json: {} }] }));
	for (const url of URLS) await collect('Credential', run({ ...service, automationUrl: url, baseUrl: url }, {}));
	for (const apiKey of ['', 'kéy', 'wrong']) await collect('Credential', operate({ ...service, apiKey }, 'search'));
	for (const user of [{ username: '', password: 'x' }, ...['', 'x'].map((password) => ({ username: 'a', password }))])
		await collect('Sign-in', operate({ ...service, user }, 'search', LOGIN));
	for (const { test } of Object.values(registry.credentials))
		for (const { properties } of test.rules!) seen.set(JSON.stringify([properties.message, '']), new Set(['Test']));
	const refused = reply(200, '{"success":false,"message":"Its reason"}');
	await meet('setCookies', refused, async (to) => await operate(to, 'setCookies'));
	for (const status of STATUSES) {
		for (const body of ['', '{"detail":"Its reason"}']) {
			await meet(`search ${status}`, reply(status, body), async (to) => await operate(to, 'search'));
			await meet(`Run Automation ${status}`, reply(status, body), async (to) => await run(to, {}));
			await meet(`Sign-in ${status}`, reply(status, body), async (to) => await operate(to, 'search', LOGIN));
		}
	}
	for (const { name, run: ofRun, answer, options = {} } of faults.filter(({ isHeavy }) => !isHeavy)) {
		if (ofRun) await meet(name, ofRun, async (to) => await run(to, { options }));
		if (answer) await meet(name, answer, async (to) => await operate(to, 'search'));
	}
	const rows = [...seen].map(([key, where]) => [[...where].join(', '), ...(JSON.parse(key) as string[])]);
	console.log(table(['Where', 'Message', 'Description'], rows));
	process.exit();
}

void main();
