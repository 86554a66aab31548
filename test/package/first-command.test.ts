/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scripts } from '../../package.json';

// A clone on a machine that has Node and npm and nothing else, where npm reaches no registry.
const root = path.resolve(__dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'clone-'));
const clone = path.join(folder, 'clone');
const bin = path.join(folder, 'bin');
const programs = path.join(folder, 'programs');

beforeAll(() => {
	// With what is new and will be committed.
	const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
	const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
	for (const file of files.filter((name) => existsSync(path.join(root, name))))
		cpSync(path.join(root, file), path.join(clone, file));
	for (const place of [bin, programs]) mkdirSync(place);
	const failing = '#!/bin/sh\necho no registry here >&2\nexit 1\n';
	writeFileSync(path.join(bin, 'npm'), failing, { mode: 0o755 });
	for (const name of ['chromium', 'redis-server', 'postgres'])
		writeFileSync(path.join(programs, name), failing, { mode: 0o755 });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command line of a shell in the clone, with the programs of some folders. */
function inClone(command: string, places = [bin, programs, process.env.PATH], cwd = clone) {
	const isOwn = ([name]: [string, unknown]) => !/^(npm_|NODE_|JEST_)/.test(name);
	const PATH = places.join(path.delimiter);
	const env = { ...Object.fromEntries(Object.entries(process.env).filter(isOwn)), FORCE_COLOR: '0', PATH };
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

it('the demo reaches its first step, and says that the registry is missing', () => {
	const ended = inClone('node demo/run.mjs');
	expect(ended.stdout).toMatch(/^\[ +\d\.\d s\] Packages of the repository \.\.\.\n/);
	expectAdvice(ended);
});

const OF_THE_RELEASE = ['release', 'prepublishOnly'];
const others = Object.entries(scripts).filter(([name]) => !OF_THE_RELEASE.includes(name));
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

it('the demo says that a path has a blank, before it downloads anything', () => {
	const blank = path.join(folder, 'my clone');
	cpSync(clone, blank, { recursive: true });
	const ended = inClone('node demo/run.mjs', undefined, blank);
	expectStopped(ended, /^n8n cannot be built in a path that contains a space: ./, 'move the repository');
});

it('the demo says on macOS that it needs Node 24, before it downloads anything', () => {
	const macOs = path.join(folder, 'mac-os.cjs');
	const lines = Object.entries({ platform: 'darwin', arch: 'arm64' }).map(
		([name, value]) => `Object.defineProperty(process, '${name}', { value: '${value}' })`,
	);
	writeFileSync(macOs, [...lines, "Object.defineProperty(process.versions, 'node', { value: '22.1.0' })"].join('\n'));
	const ended = inClone(`node --require ${macOs} demo/run.mjs`);
	expectStopped(ended, /^n8n needs Node 24, and npm has no package of it for darwin on arm64\.$/, 'install Node 24');
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
