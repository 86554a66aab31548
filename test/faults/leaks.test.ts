/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

jest.setTimeout(120_000);

test('no canary is found in what the nodes put out, throw, hint at or log', () => {
	const root = path.resolve(__dirname, '../..');
	const run = spawnSync(process.execPath, ['test/support/run.mjs', 'test/faults/leaks.ts'], {
		cwd: root,
		encoding: 'utf8',
		maxBuffer: 1e9,
		env: { ...process.env, N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' },
	});
	expect(run.stderr).not.toMatch(/\n\s+at /);
	const report = /^REPORT (.*)$/m.exec(run.stdout)?.[1] ?? '{}';
	const { found, executions, echoes } = JSON.parse(report) as { found: string[]; executions: number; echoes: number };
	expect(found).toEqual([]);
	// The run must have been a real one: the canaries reached the service, and came back from it.
	expect(executions).toBeGreaterThan(150);
	expect(echoes).toBeGreaterThan(100);
	const log = `${run.stdout.replace(/^REPORT .*$/m, '')}${run.stderr}`;
	expect(log).toContain('Automation run started');
	for (const canary of ['canary-key', 'canary-cookie', 'canary-secret']) expect(log).not.toContain(canary);
});
