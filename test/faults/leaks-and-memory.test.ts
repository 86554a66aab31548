/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { spawnSync } from 'node:child_process';

interface Report {
	found: string[];
	executions: number;
	echoes: number;
	peaks: Record<string, number>;
}

let report: Report;
let log: string;
beforeAll(() => {
	const env = { ...process.env, N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' };
	const options = { encoding: 'utf8', maxBuffer: 1e9, env } as const;
	const { stdout, stderr } = spawnSync(process.execPath, ['test/support/run.mjs', 'test/faults/leaks.ts'], options);
	expect(stderr).not.toMatch(/\n\s+at /);
	report = JSON.parse(/^REPORT (.*)$/m.exec(stdout)![1]) as Report;
	log = stdout.replace(/^REPORT .*$/m, '') + stderr;
});

it('an endless response needs bounded memory', () => {
	expect(Object.keys(report.peaks)).toHaveLength(4);
	// The limit of the response is 1 MB there; the bomb alone is 100 MB, and as text twice that.
	expect(Object.entries(report.peaks).filter(([, peak]) => peak >= 80)).toEqual([]);
});

it('no canary is found in what the nodes return, throw, hint at or log', () => {
	expect(report.found).toEqual([]);
	// The run must have been a real one: the canaries reached the service, and came back from it.
	expect(report.executions).toBeGreaterThan(150);
	expect(report.echoes).toBeGreaterThan(100);
	expect(log).toContain('Automation run started');
	expect(log).not.toMatch(/canary-(key|cookie|secret|password|token)/);
});
