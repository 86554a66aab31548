/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { spawnSync } from 'node:child_process';

it('no canary is found in what the nodes return, throw, hint at or log', () => {
	const env = { ...process.env, N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' };
	const options = { encoding: 'utf8', maxBuffer: 1e9, env } as const;
	const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'test/faults/leaks.ts'], options);
	expect(stderr).not.toMatch(/\n\s+at /);
	type Report = { found: string[]; executions: number; echoes: number };
	const report = JSON.parse(/^REPORT (.*)$/m.exec(stdout)![1]) as Report;
	expect(report.found).toEqual([]);
	// The run must have been a real one: the canaries reached the service, and came back from it.
	expect(report.executions).toBeGreaterThan(150);
	expect(report.echoes).toBeGreaterThan(100);
	const log = stdout.replace(/^REPORT .*$/m, '') + stderr;
	expect(log).toContain('Automation run started');
	expect(log).not.toMatch(/canary-(key|cookie|secret|password|token)/);
});
