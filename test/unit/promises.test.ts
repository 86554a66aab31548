/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readdirSync, readFileSync } from 'node:fs';

import { BrowserAutomationPasswordOAuth2Api } from '../../credentials/BrowserAutomationPasswordOAuth2Api.credentials';
import { issuedFor, storedToken, TOKEN_USE, type TokenUse } from '../../nodes/shared/http/credential';
import { logStart } from '../../nodes/shared/n8n/record-runs';
import { BROWSER_AUTOMATION, everythingOf, operate, runAutomation } from '../engine/run-node';
import { events, finish, runStream, serveStream, type StartAnswer } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { serve } from '../support/serve';
import { sources } from '../support/sources';

// Each title is a promise of SECURITY.md. Where the code of a promise has tests of its own, its title is there, below a comment.

const KEY = 'live+key/5f3a9c';
const BASE = 'https://gateway.example.com/tenant-a';
const stored = { apiKey: KEY, username: 'ann', password: 'pass-word', accessToken: KEY, baseUrl: BASE };
const user = { ...stored, automationUrl: 'https://automation.example.com', allowUnencrypted: false };

const PROMISES: Record<string, () => Promise<void> | void> = {
	async "A request with a key or a token follows no redirect. Videos and a run's files are downloaded without them"() {
		const keys: unknown[] = [];
		const server = await serveStream(
			() => events({ type: 'file', url: `${server.url}/a.txt`, mediaType: 'text/plain' }, finish),
			({ headers }, response) => {
				keys.push(headers.authorization);
				response.end('x');
			},
		);
		const form = { query: THREAD, options: { downloadLinks: true } };
		expect(Object.keys((await runAutomation(server.target, form)).items[0].binary!)).toEqual(['file_0']);
		expect(keys).toEqual([undefined]);
	},
	async 'A token is used only with the user name, the URL and the password that it was issued for'() {
		const credential = new BrowserAutomationPasswordOAuth2Api();
		const known = { ...user, issuedForToken: issuedFor(user) };
		expect(storedToken(known)).toBe(KEY);
		// An expression may give another value each time that n8n evaluates it.
		const use: TokenUse = { user: issuedFor(user), value: KEY, rejected: '', onUse: () => {} };
		const send = async (change: object) =>
			await credential.authenticate({ ...known, ...change }, { url: `${BASE}/x`, [TOKEN_USE]: use });
		await expect(send({})).resolves.toHaveProperty('headers.Authorization', `Bearer ${KEY}`);
		for (const change of [{ username: 'bob' }, { baseUrl: 'https://other.example.com' }, { password: 'other' }]) {
			expect(storedToken({ ...known, ...change })).toBe('');
			await expect(send(change)).rejects.toThrow('changes its values');
		}
	},
	async "No expression in a node's field can read the credential"() {
		const sent: string[] = [];
		const record: StartAnswer = (_task, _response, _thread, query) => (sent.push(query!), events(finish));
		const query = '={{ $credentials?.apiKey || "none" }}';
		const ran = await runStream(record, { query }, { credentials: { apiKey: KEY } });
		expect(everythingOf([ran.items, ran.error?.message, ran.hints, sent])).not.toContain(KEY);
	},
	"A node's name cannot add a line to the log"() {
		const info = jest.fn();
		const place = { getWorkflow: () => ({ id: 'w' }), getNode: () => ({ name: 'a\n\u001b[2Jb' }) };
		logStart({ ...place, getExecutionId: () => '7', logger: { info } } as never, 'started', 0);
		expect(info.mock.calls[0]![0]).toMatch(/^[ -~]+$/);
	},
	async "Under n8n's redaction policy, hints, custom data and the log contain names, counts and thread IDs, but no values"() {
		const started = JSON.stringify({ thread_id: THREAD, url: 'https://x.example/canary?t=canary' });
		const runtimeData = { redaction: { version: 2, production: true, manual: true } } as never;
		const ran = await runStream(started, { operation: 'background', query: 'canary' }, { runtimeData });
		expect(ran.hints.map(({ message }) => message)).toEqual([expect.stringContaining(THREAD)]);
		expect(JSON.stringify([ran.hints, ran.run.data.resultData.metadata])).not.toContain('canary');
	},
	async 'An AI agent gets the value of a secret only if you allow it in the tool'() {
		const { target } = await serve((_request, response) => response.end('{"value":"of-the-secret"}'));
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
};

it.each(Object.entries(PROMISES))('%s', async (_promise, check) => await check());

it('SECURITY.md lists every promise that tests have as their title, word for word, and no other', () => {
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
	const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
	const code = files.map((name) => readFileSync(`test/${name}`, 'utf8')).join('\n');
	const elsewhere = [...code.matchAll(/\/\/ A promise of SECURITY\.md\.\n\s*\w+\((['"])(.+)\1,/g)].map(
		([, , title]) => title,
	);
	expect(plain.toSorted()).toEqual([...Object.keys(PROMISES), ...elsewhere].toSorted());
});
