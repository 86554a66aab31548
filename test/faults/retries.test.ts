import { readSection } from '../support/report';
import { restoreClock } from './clock';
import { executionTable, retryTable } from './retries';

// Each plays dozens of workflows.
jest.setTimeout(120_000);

afterAll(restoreClock);

it('docs/reliability.md shows what Retry On Fail does, and a real n8n has played its rows', async () => {
	const written = readSection('retries');
	expect(await retryTable()).toBe(written);
	expect(written).toContain('| Queue mode, the worker is killed during a run |');
});

it('docs/reliability.md shows what Retry in the list of executions does', async () => {
	expect(await executionTable()).toBe(readSection('executions'));
});
