/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync, spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scripts } from '../../package.json';
import { cloneInto, typedWith } from '../support/clone';
import { useService } from '../support/use-service';

// The first command of the README, on a machine that has Node, npm and tar: no n8n, and none of the compilers that n8n needs.
const root = path.resolve(__dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'demo-'));
const bin = path.join(folder, 'bin');
// n8n could not be built in such a path.
const clone = path.join(folder, 'my clone');
const options = { cwd: clone, env: typedWith(bin), encoding: 'utf8' } as const;
let shown: SpawnSyncReturns<string>;

beforeAll(() => {
	cloneInto(clone);
	symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
	mkdirSync(bin);
	for (const name of ['npm', 'tar', 'gzip', 'sh'])
		symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), path.join(bin, name));
	symlinkSync(process.execPath, path.join(bin, 'node'));
	const [program, ...args] = scripts.demo.split(' ');
	shown = spawnSync(path.join(bin, program), args, options);
});

afterAll(() => rmSync(folder, { recursive: true }));

it('shows the steps of the run, then the rows of the README, without n8n', () => {
	const [block] = /```text\nname [\s\S]+?```/.exec(readFileSync(path.join(root, 'README.md'), 'utf8'))!;
	const { stdout, stderr, status } = shown;
	expect([stderr, status]).toEqual(['', 0]);
	const parts = ['    > Tool: openPage ', '\nThe task: Find ', block.slice(8, -3)];
	const places = parts.map((part) => stdout.indexOf(part));
	expect(places).toEqual(places.filter((place) => place > 0).toSorted((one, other) => one - other));
	expect(stdout).not.toMatch(/\] (Starting )?n8n\b/);
});

it('removes what it unpacked', () => {
	const left = readdirSync(path.join(root, 'node_modules/.cache'));
	expect(left.filter((name) => name.startsWith(`demo-${shown.pid}-`))).toEqual([]);
});

it('names the command for the editor in the last sentence, and what that needs', () => {
	const lines = shown.stdout.trimEnd().split('\n');
	expect(lines.filter((line) => line.includes('npm run demo -- --editor'))).toEqual([lines.at(-1)]);
	expect(lines.at(-1)).toMatch(/\d GB, .+ minutes/);
});

describe('the engine of the demo', () => {
	const service = useService();
	const program = `
		import { makeUserFolder, startEngine } from './demo/lib/engine.mjs';
		import { run, credentialFor } from './demo/lib/example.mjs';
		import { printFailure } from './demo/lib/failure.mjs';
		import { packageFolder } from './demo/lib/package.mjs';
		import { cpSync } from 'node:fs';

		const [target, parameters] = process.argv.slice(2).map((text) => JSON.parse(text));
		const userFolder = makeUserFolder();
		const engine = startEngine(userFolder);
		for (const name of ['package.json', 'dist']) cpSync(name, packageFolder(userFolder) + '/' + name, { recursive: true });
		try {
			const items = await engine.run({ ...run, parameters }, credentialFor(target), (text) => process.stdout.write(text));
			console.log(JSON.stringify(items));
		} catch (error) {
			printFailure(error);
		}`;

	beforeAll(() => writeFileSync(path.join(clone, 'try.mjs'), program));

	function start(parameters: object) {
		const target = { apiKey: service.apiKey, baseUrl: service.baseUrl, automationUrl: service.automationUrl };
		const args = ['try.mjs', JSON.stringify(target), JSON.stringify(parameters)];
		const child = spawn(process.execPath, args, options);
		let output = '';
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding('utf8').on('data', (text) => (output += text));
		const ended = once(child, 'close').then(() => output);
		const says = async (text: string) => {
			while (!output.includes(text)) await Promise.race([once(child.stdout, 'data'), ended.then(() => fail(output))]);
		};
		return { ended, says };
	}

	const fail = (output: string) => {
		throw new Error(`The program ended: ${output}`);
	};

	it('shows what the agent writes before the run has ended, with the key as the packed credential adds it', async () => {
		const { ended, says } = start({ query: 'held' });
		await says('    tick-1 tick-2 tick-3 tick-4 tick-5');
		expect(service.starts.map(({ outcome }) => outcome)).toEqual([undefined]);
		expect(service.starts[0].headers.authorization).toBe(`Bearer ${service.apiKey}`);
		service.release();
		expect(await ended).toMatch(/tick-10\n\[\{"json":\{.*"status":"completed"/);
	});

	it('says why the node stopped, and what to do', async () => {
		const output = await start({ query: 'failed task' }).ended;
		expect(output).toContain('\nStopped: the workflow stopped at "Run Automation".\n');
		expect(output).toContain('The site blocked the agent');
		expect(output).toMatch(/\nWhat to do: run npm test, .+\n$/);
		expect(output).not.toMatch(/^ +at /m);
	});
});
