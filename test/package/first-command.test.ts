/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scripts } from '../../package.json';
import { cloneInto, typedWith } from '../support/clone';

// A clone on a machine that has Node and npm and nothing else, where npm reaches no registry.
const folder = mkdtempSync(path.join(tmpdir(), 'clone-'));
const clone = path.join(folder, 'clone');
const bin = path.join(folder, 'bin');
const programs = path.join(folder, 'programs');

beforeAll(() => {
	cloneInto(clone);
	for (const place of [bin, programs]) mkdirSync(place);
	const failing = '#!/bin/sh\necho no registry here >&2\nexit 1\n';
	writeFileSync(path.join(bin, 'npm'), failing, { mode: 0o755 });
	for (const name of ['chromium', 'redis-server', 'postgres'])
		writeFileSync(path.join(programs, name), failing, { mode: 0o755 });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command line of a shell in the clone, with the programs of some folders. */
function inClone(command: string, places = [bin, programs, process.env.PATH], cwd = clone) {
	const env = typedWith(places.join(path.delimiter));
	const { stdout, stderr, status } = spawnSync(command, { cwd, env, shell: true, encoding: 'utf8' });
	return { stdout, output: stdout + stderr, status };
}

it('no folder above the clone has packages that it could use by accident', () => {
	for (let above = clone; above !== path.dirname(above); above = path.dirname(above))
		expect(existsSync(path.join(above, 'node_modules'))).toBe(false);
});

/** Asserts that a command says nothing but why it stopped, and what to do. */
function expectStopped({ output, status }: ReturnType<typeof inClone>, why: RegExp, whatToDo: string) {
	const [, reason, advice] = /^\nStopped: (.+)\n\nWhat to do: (.+)\n$/.exec(output) ?? [];
	expect([reason, advice, status]).toEqual([expect.stringMatching(why), expect.stringMatching(`^${whatToDo} `), 1]);
}

/** Asserts that a command says in its own words that npm failed, and what to do. */
function expectAdvice({ output, status }: ReturnType<typeof inClone>) {
	expect(output).toContain('no registry here');
	expect(output).toContain('\nStopped: the packages of the repository were not installed.\n');
	expect(output).toMatch(/\nWhat to do: check the connection to the npm registry \(npm ping\), .+\n$/);
	expect(output).not.toMatch(/^ +at /m);
	expect(status).toBe(1);
}

it.each(['', ' --editor', ' --dev'])(
	'the demo%s reaches its first step, and says that the registry is missing',
	(option) => {
		const ended = inClone(`node demo/run.mjs${option}`);
		expect(ended.stdout).toMatch(/^\[ +\d\.\d s\] Packages of the repository \.\.\.\n/);
		expect(ended.stdout.includes('] n8n: downloading n8n, about 1,100 packages and 4 GB')).toBe(option !== '');
		expectAdvice(ended);
	},
);

it.each(['--edit', '--port 0', '--editor --port x'])('the demo says which options it has: %s', (options) => {
	expectStopped(inClone(`node demo/run.mjs ${options}`), /./, 'use npm run demo, or npm run demo -- --editor');
});

const others = Object.entries(scripts).filter(([name]) => !['release', 'prepublishOnly'].includes(name));
// A shell runs nothing after a command that failed.
const firstCommands = new Map(others.map(([name, command]) => [command.split(' && ')[0], name]));

it.each([...firstCommands])('so does %s, the first command of npm run %s', (command) => expectAdvice(inClone(command)));

const entries = ['demo/run.mjs', 'test/support/install.mjs'];
it.each(entries)('%s says that a Node is too old, before anything else', (entry) => {
	const old = path.join(folder, 'old.cjs');
	writeFileSync(old, "Object.defineProperty(process.versions, 'node', { value: '20.9.0' })");
	const ended = inClone(`node --require ${old} ${entry}`);
	expectStopped(ended, /^this is Node 20\.9\.0, but Node 20\.19 or newer is required\.$/, 'install a newer version');
});

describe('on a machine for which n8n cannot be installed', () => {
	const blank = path.join(folder, 'my clone');
	const macOs = path.join(folder, 'mac-os.cjs');

	beforeAll(() => {
		cpSync(clone, blank, { recursive: true });
		const lines = Object.entries({ platform: 'darwin', arch: 'arm64' }).map(
			([name, value]) => `Object.defineProperty(process, '${name}', { value: '${value}' })`,
		);
		const version = "Object.defineProperty(process.versions, 'node', { value: '22.1.0' })";
		writeFileSync(macOs, [...lines, version].join('\n'));
	});

	it.each(['--editor', '--dev'])('the demo with %s says so before it downloads anything', (option) => {
		const inBlank = inClone(`node demo/run.mjs ${option}`, undefined, blank);
		expectStopped(inBlank, /^n8n cannot be built in a path that contains a space: ./, 'move the repository');
		const onMac = inClone(`node --require ${macOs} demo/run.mjs ${option}`);
		expectStopped(onMac, /^n8n needs Node 24, and npm has no package of it for darwin on arm64\.$/, 'install Node 24');
	});

	it('the demo in the terminal begins: it needs no n8n', () => {
		expectAdvice(inClone('node demo/run.mjs', undefined, blank));
		expectAdvice(inClone(`node --require ${macOs} demo/run.mjs`));
	});
});

it('a download that breaks once is begun again', () => {
	const mended = mkdtempSync(path.join(folder, 'mended-'));
	const [broken, installed] = [path.join(mended, 'broken'), path.join(clone, 'node_modules')];
	const lines = [
		...['#!/bin/sh', `[ -e ${broken} ] || { touch ${broken}; exit 1; }`],
		...[`mkdir ${installed}`, `cp package-lock.json ${installed}/.package-lock.json`, ''],
	];
	writeFileSync(path.join(mended, 'npm'), lines.join('\n'), { mode: 0o755 });
	const { output, status } = inClone('node test/support/install.mjs', [mended, process.env.PATH]);
	rmSync(installed, { recursive: true, force: true });
	expect(output).toMatch(/Packages of the repository: done in/);
	expect(status).toBe(0);
});

it('a command that needs a program of the machine says which one to install', () => {
	const start = scripts['test:e2e'].replace(/^node/, process.execPath);
	expectStopped(inClone(start, [bin]), /^this command needs chromium, ./, 'run apt-get install chromium');
});
