/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

jest.setTimeout(120_000);

/** Runs a script of this folder in a process of its own, and gives what it printed. */
const runScript = (script: string, env = {}) =>
	spawnSync(process.execPath, ['test/support/run.mjs', `test/faults/${script}`], {
		cwd: path.resolve(__dirname, '../..'),
		encoding: 'utf8',
		maxBuffer: 1e9,
		env: { ...process.env, ...env },
	});

it('an endless response needs bounded memory', () => {
	const { stdout } = runScript('memory.ts');
	const peaks = JSON.parse(/^PEAKS (.*)$/m.exec(stdout)?.[1] ?? '{}') as Record<string, number>;
	expect(Object.keys(peaks)).toHaveLength(4);
	// The limit of the response is 1 MB there; the bomb alone is 100 MB, and as text twice that.
	for (const [name, peak] of Object.entries(peaks)) expect([name, peak < 80]).toEqual([name, true]);
});

it('no canary is found in what the nodes return, throw, hint at or log', () => {
	const run = runScript('leaks.ts', { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' });
	expect(run.stderr).not.toMatch(/\n\s+at /);
	const report = /^REPORT (.*)$/m.exec(run.stdout)?.[1] ?? '{}';
	const { found, executions, echoes } = JSON.parse(report) as { found: string[]; executions: number; echoes: number };
	expect(found).toEqual([]);
	// The run must have been a real one: the canaries reached the service, and came back from it.
	expect(executions).toBeGreaterThan(150);
	expect(echoes).toBeGreaterThan(100);
	const log = `${run.stdout.replace(/^REPORT .*$/m, '')}${run.stderr}`;
	expect(log).toContain('Automation run started');
	for (const canary of ['canary-key', 'canary-cookie', 'canary-secret', 'canary-password', 'canary-token'])
		expect(log).not.toContain(canary);
});
