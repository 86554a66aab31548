/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { Readable } from 'node:stream';
import { readFileSync } from 'node:fs';
import type { ICredentialDataDecryptedObject, IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';

import { requestToken } from '../../credentials/request-token';
import { isForbidden } from '../../nodes/shared/http/download';
import {
	issuedFor,
	storedToken,
	TOKEN_USE,
	type RequestWithUse,
	type TokenUse,
} from '../../nodes/shared/http/credential';
import { logStart } from '../../nodes/shared/n8n/record-runs';
import { BROWSER_AUTOMATION, everythingOf, operate, runAutomation } from '../engine/run-node';
import { events, finish, serveStream } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { readerOf } from '../support/reader';
import { credentialTypes } from '../support/registered';
import { serve } from '../support/serve';
import { sources } from '../support/sources';

// Each title is a promise of SECURITY.md. Further tests of each have more inputs.

const KEY = 'live+key/5f3a9c';
const BASE = 'https://gateway.example.com/tenant-a';
const stored = { apiKey: KEY, username: 'ann', password: 'pass-word', accessToken: KEY, baseUrl: BASE };
const user = { ...stored, automationUrl: 'https://automation.example.com', allowUnencrypted: false };

/** Whether each credential adds its key or token to a request. */
const isSent = async (request: object, change: object = {}) =>
	await Promise.all(
		credentialTypes.map(async ({ authenticate }) => {
			const credentials = { ...user, ...change };
			const complete = { ...credentials, issuedForToken: issuedFor(credentials as ICredentialDataDecryptedObject) };
			const add = authenticate as (given: object, options: IHttpRequestOptions) => Promise<IHttpRequestOptions>;
			return await add(complete, request as IHttpRequestOptions).then(
				({ headers }) => headers?.Authorization === `Bearer ${KEY}`,
				() => false,
			);
		}),
	);
const YES = [true, true];
const NO = [false, false];

const search = { resource: 'web', operation: 'search', searchQuery: 'x' };
const file = (url: string) => ({ type: 'file', url, mediaType: 'text/plain' });
const call = (input: object) => ({ type: 'tool-input-available', toolCallId: '1', toolName: 'fill_form', input });
const request = { type: 'tool-approval-request', approvalId: 'a', toolCallId: '1', reason: '492817' };

const PROMISES: Record<string, () => Promise<void> | void> = {
	async 'The key and the tokens are sent only to the two URLs in the credential and to paths below them, the password only to Base URL plus /token'() {
		expect(await isSent({ url: `${BASE}/x` })).toEqual(YES);
		for (const url of [
			'https://gateway.example.com/tenant-b',
			`${BASE}/..%2Ftenant-b`,
			'https://evil.example/tenant-a',
		])
			expect(await isSent({ url })).toEqual(NO);
		const sent: object[] = [];
		const httpRequest = async (options: object) => {
			sent.push(options);
			return await Promise.resolve({
				statusCode: 200,
				headers: {},
				body: Readable.from([Buffer.from('{"access_token":"x"}')]),
			});
		};
		await requestToken({ helpers: { httpRequest } } as unknown as IHttpRequestHelper, user);
		expect(sent).toMatchObject([{ baseURL: BASE, url: '/token', disableFollowRedirect: true }]);
	},
	async 'Keys, tokens and passwords are sent unencrypted only to localhost, or if the credential allows that, and never unencrypted through a proxy that the request names'() {
		const http = { baseUrl: 'http://api.example.com' };
		const local = { baseUrl: 'http://localhost:8080' };
		const allowed = { ...http, allowUnencrypted: true };
		expect(await isSent({ url: `${http.baseUrl}/x` }, http)).toEqual(NO);
		expect(await isSent({ url: `${http.baseUrl}/x` }, allowed)).toEqual(YES);
		expect(await isSent({ url: `${local.baseUrl}/x` }, local)).toEqual(YES);
		for (const change of [allowed, local])
			expect(await isSent({ url: `${change.baseUrl}/x`, proxy: 'http://proxy.example' }, change)).toEqual(NO);
	},
	async 'A key or a token is not added to a request that does not check certificates, or trusts a certificate authority of its own'() {
		for (const option of [
			{ rejectUnauthorized: false },
			{ skipSslCertificateValidation: true },
			{ agentOptions: { ca: 'x' } },
		])
			expect(await isSent({ url: `${BASE}/x`, ...option })).toEqual(NO);
	},
	async "A request with a key or a token follows no redirect. Videos and a run's files are downloaded without them"() {
		const keys: unknown[] = [];
		const server = await serveStream(
			() => events(file(`${server.url}/a.txt`), finish),
			({ headers }, response) => {
				keys.push(headers.authorization);
				response.end('x');
			},
		);
		const form = { query: THREAD, options: { downloadLinks: true } };
		expect(Object.keys((await runAutomation(server.target, form)).items[0].binary!)).toEqual(['file_0']);
		expect(keys).toEqual([undefined]);
		const [{ authenticate }] = credentialTypes;
		const add = authenticate as (given: object, options: object) => Promise<object>;
		expect(await add(user, { url: `${BASE}/x` })).toMatchObject({ disableFollowRedirect: true, maxRedirects: 0 });
	},
	async 'A token is used only with the user name, the URL and the password that it was issued for'() {
		const authenticate = credentialTypes[1]!.authenticate as (
			given: object,
			request: RequestWithUse,
		) => Promise<object>;
		const known = { ...user, issuedForToken: issuedFor(user) };
		expect(storedToken(known)).toBe(KEY);
		// An expression may give another value each time that n8n evaluates it.
		const use: TokenUse = { user: issuedFor(user), value: KEY, rejected: '', onUse: () => {} };
		const send = async (change: object) =>
			await authenticate({ ...known, ...change }, { url: `${BASE}/x`, [TOKEN_USE]: use });
		await expect(send({})).resolves.toHaveProperty('headers.Authorization', `Bearer ${KEY}`);
		for (const change of [{ username: 'bob' }, { baseUrl: 'https://other.example.com' }, { password: 'other' }]) {
			expect(storedToken({ ...known, ...change })).toBe('');
			await expect(send(change)).rejects.toThrow('changes its values');
		}
	},
	async "Within the limits of Downloads, nothing is downloaded from this machine or its network, except from the credential's origins, or if n8n's lists allow it"() {
		for (const host of ['127.1', '169.254.169.254', '[::ffff:10.0.0.1]', 'localhost.', '100.64.0.1']) {
			const url = new URL(`http://${host}/x`);
			expect([await isForbidden({}, url, []), await isForbidden({}, url, [`http://${host}`])]).toEqual([true, false]);
		}
		expect(await isForbidden({}, new URL('https://files.example.com/x'), [])).toBe(false);
	},
	async "No expression in a node's field can read the credential"() {
		const { target, urls } = await (async () => {
			const seen: string[] = [];
			const server = await serve((_request, response, sent) => {
				seen.push(sent);
				response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[]}');
			});
			return { target: server.target, urls: seen };
		})();
		const searchQuery = '={{ $credentials?.apiKey || "none" }}';
		const ran = await operate({ ...target, apiKey: KEY }, { ...search, searchQuery });
		expect(everythingOf([ran.items, ran.error, ran.hints, urls])).not.toContain(KEY);
		const run = await runAutomation({ ...target, apiKey: KEY }, { query: searchQuery });
		expect(everythingOf([run.items, run.error?.message, run.hints, urls])).not.toContain(KEY);
	},
	async 'No error, log line or hint contains a key, a password or a token of at least four characters, neither unchanged nor in an encoding that is undone (What is masked)'() {
		const entities = (text: string) => [...text].map((letter) => `&#${letter.codePointAt(0)};`).join('');
		const echoes = [String, encodeURIComponent, entities, (text: string) => encodeURIComponent(entities(text)), btoa];
		for (const echo of echoes) {
			const { target } = await serve((_request, response) => {
				response
					.writeHead(400, { 'content-type': 'application/json' })
					.end(JSON.stringify({ detail: `<${echo(KEY)}>` }));
			});
			for (const form of [search, { resource: 'secret', operation: 'get', name: 'x' }]) {
				const { error, hints } = await operate({ ...target, apiKey: KEY }, form);
				expect(error?.message).toMatch(/^<\*{3}.?=*>$/);
				expect(everythingOf([error, hints])).not.toContain(echo(KEY));
			}
		}
	},
	"A run's output does not contain the tokens of file links (Files for the Agent) as n8n writes them"() {
		const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
		const token = `${part({ alg: 'HS256' })}.${part({ id: 'filesystem-v2:a' })}.${'sign'.repeat(10)}abc`;
		for (const text of [token, encodeURIComponent(`/binary-data/signed?token=${token}`)]) {
			const reader = readerOf({ knowsLinks: true, keepsChunks: true });
			const deltas = text.match(/[^]{1,7}/g)!.map((delta) => ({ type: 'text-delta', id: '1', delta }));
			const chunks = [{ type: 'text-start', id: '1' }, ...deltas, { type: 'abort', reason: text }];
			reader.write(Buffer.from(events(...chunks)));
			const run = reader.finish();
			const joined = run.chunks.map(({ delta }) => delta).join('');
			for (const said of [run.text, run.reason, joined])
				expect(said).toMatch(/^((?!filesystem|signsign|eyJpZCI6)[^])*\*{3}((?!sign)[^])*$/);
		}
	},
	async 'The message about an approval names the tool, but no values of its inputs'() {
		const ends = { type: 'finish', finishReason: 'tool-calls' };
		const { target } = await serveStream(() => events(call({ password: 'hunter2', otp: 492817 }), request, ends));
		const { error } = await runAutomation(target, { query: THREAD });
		expect(error?.message).toBe('The run is waiting for approval of fill_form');
		expect(error?.description).not.toMatch(/hunter2|492817/);
	},
	"A node's name cannot add a line to the log"() {
		const info = jest.fn();
		const names = {
			getWorkflow: () => ({ id: 'w' }),
			getNode: () => ({ name: 'a\n\u001b[2Jb' }),
			getExecutionId: () => '7',
		};
		logStart({ ...names, logger: { info } } as never, 'started', 0);
		expect(info.mock.calls[0]![0]).toMatch(/^[ -~]+$/);
	},
	async "Under n8n's redaction policy, hints, custom data and the log contain names, counts and thread IDs, but no values"() {
		const { target } = await serveStream(
			(_task, response) =>
				void response
					.writeHead(202)
					.end(JSON.stringify({ thread_id: THREAD, url: 'https://x.example/canary?t=canary' })),
		);
		const runtimeData = { redaction: { version: 2, production: true, manual: true } } as never;
		const ran = await runAutomation(target, { operation: 'background', query: 'canary' }, { runtimeData });
		expect(ran.hints.map(({ message }) => message)).toEqual([expect.stringContaining(THREAD)]);
		expect(JSON.stringify([ran.hints, ran.run.data.resultData.metadata])).not.toContain('canary');
	},
	async 'An AI agent gets the value of a secret only if you allow it in the tool'() {
		const { target } = await serve(
			(_request, response) =>
				void response.writeHead(200, { 'content-type': 'application/json' }).end('{"value":"of-the-secret"}'),
		);
		const form = { resource: 'secret', operation: 'get', name: 'x' };
		const asTool = { node: { type: `${BROWSER_AUTOMATION}Tool` } };
		expect((await operate(target, form, asTool)).error?.message).toContain('withheld from AI agents');
		expect((await operate(target, { ...form, allowAgent: true }, asTool)).items[0].json.value).toBe('of-the-secret');
	},
	'The package reads no environment variables, and no files on the disk'() {
		for (const source of sources)
			expect(readFileSync(source, 'utf8')).not.toMatch(
				/\bprocess\.[a-z]|from '(node:)?(fs|os|child_process|process)\b|\brequire\(/,
			);
	},
	'Only a tag on main is published, with a provenance statement, by a job that runs no code of the repository or its dependencies'() {
		const publish = readFileSync('.github/workflows/publish.yml', 'utf8');
		expect(publish).toContain('git merge-base --is-ancestor HEAD origin/main\n');
		const [, job] = publish.split('\n  publish:\n');
		expect(job).toContain('npm publish ./*.tgz --ignore-scripts --provenance');
		expect(job).not.toMatch(/checkout|npm (ci|run|install)/);
	},
};

it.each(Object.entries(PROMISES))('%s', async (_promise, check) => await check());

it('are all that SECURITY.md lists, word for word', () => {
	const [, list] = readFileSync('SECURITY.md', 'utf8').split('The title of a test is its promise:');
	const [bullets] = list!.split('\n## ');
	const listed = bullets!.split(/\n- /).slice(1);
	const plain = listed.map((bullet) =>
		bullet
			.trim()
			.replace(/\s+/g, ' ')
			.replace(/[_`*]/g, '')
			.replace(/\[(.*?)\]\(.*?\)/g, '$1')
			.replace(/\.$/, ''),
	);
	expect(plain).toEqual(Object.keys(PROMISES));
});
