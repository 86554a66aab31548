/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

// What the tests in a real n8n, and the demo, must withstand on a busy machine.
const root = path.resolve(__dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'e2e-run-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a module that can import from the repository, and returns what it printed. */
async function runModule(name: string, source: string) {
	const file = path.join(folder, name);
	writeFileSync(file, source.replaceAll("from '/", `from '${root}/`));
	const { stdout } = await promisify(execFile)(process.execPath, [file], { encoding: 'utf8' });
	return stdout;
}

describe('a run of all files', () => {
	const names = [...readFileSync(path.join(root, 'test/e2e/all.mjs'), 'utf8').matchAll(/'([\w-]+)'/g)].map(
		([, name]) => name,
	);

	/** Runs all.mjs with other files beside it, and with a listener of what is reported; returns its counts. */
	async function runAll(files: Record<string, string>, listener = '') {
		for (const file of ['all.mjs', 'tally.mjs']) cpSync(path.join(root, 'test/e2e', file), path.join(folder, file));
		for (const name of names)
			writeFileSync(
				path.join(folder, `${name}.test.mjs`),
				files[name] ?? "import { it } from 'node:test'; it('runs', () => {});",
			);
		return JSON.parse(
			await runModule(
				'run.mjs',
				`import { run } from 'node:test';
				import { tally } from './tally.mjs';
				const events = run({ files: ['${folder}/all.mjs'] });
				${listener}
				const counts = tally(events, ${JSON.stringify(names.map((name) => `${name}.test.mjs`))});
				events.on('data', () => {}).on('end', () => console.log(JSON.stringify(counts())));`,
			),
		);
	}

	it('passes if every test of every file does', async () => {
		expect(names).toContain('examples');
		expect(await runAll({})).toEqual({ passed: names.length + 1, failed: 0, missing: [] });
	});

	it('one file that throws is one test that failed, and the others run', async () => {
		const throwing = "import { it } from 'node:test'; it('runs', () => {}); throw new Error('other side closed');";
		expect(await runAll({ waiting: throwing })).toEqual({ passed: names.length + 1, failed: 1, missing: [] });
	});

	it('what never ran because the process died failed, and is named', async () => {
		const dying = `import { writeFileSync } from 'node:fs';
			import { it } from 'node:test';
			writeFileSync('${folder}/pid', String(process.pid));
			it('dies', () => new Promise(() => setInterval(() => {}, 1000)));`;
		// What was reported before this test has left the process.
		const kill = `const { readFileSync } = await import('node:fs');
			events.on('test:dequeue', ({ name }) => {
				if (name === 'dies') process.kill(Number(readFileSync('${folder}/pid', 'utf8')), 'SIGKILL');
			});`;
		const before = names.indexOf('waiting');
		const last = names.slice(before + 1).map((name) => `${name}.test.mjs: runs`);
		const missing = ['waiting.test.mjs: dies', ...last];
		// The files before it passed, and that all are loaded; the process itself is one more that failed.
		const counts = await runAll({ waiting: dying }, kill);
		expect(counts).toEqual({ passed: before + 1, failed: missing.length + 1, missing });
	});

	it('a file without a test failed', async () => {
		expect(await runAll({ chat: '' })).toMatchObject({ passed: names.length, failed: 1, missing: ['chat.test.mjs'] });
	});
});

const isThere = (pid: number) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

const endings = ['process.kill(process.pid, "SIGKILL")', 'throw new Error("nobody catches this")'];
it.each(endings)('a program does not outlive the process that launched it: %s', async (end) => {
	const file = path.join(folder, 'parent.mjs');
	writeFileSync(
		file,
		`import { launch } from '${root}/demo/lib/processes.mjs';
		const { pid } = launch([process.execPath, '-e', 'setInterval(() => {}, 1000)']);
		console.log(pid);
		process.stdin.once('data', () => { ${end} });`,
	);
	const parent = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'ignore'] });
	const [printed] = await once(parent.stdout, 'data');
	const pid = Number(printed);
	expect(isThere(pid)).toBe(true);
	parent.stdin.write('now');
	// A machine that is busy takes its time.
	for (const deadline = Date.now() + 25_000; isThere(pid) && Date.now() < deadline; ) await sleep(50);
	const isLeft = isThere(pid);
	if (isLeft) process.kill(pid, 'SIGKILL');
	expect(isLeft).toBe(false);
});
