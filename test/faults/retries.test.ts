import { readSection } from '../support/report';
import { restoreClock } from './clock';
import { executionTable, retryTable } from './retries';

afterAll(restoreClock);

it('docs/reliability.md shows what Retry On Fail does, as npm run faults and a real n8n write it', async () => {
	const written = readSection('retries');
	expect(await retryTable()).toBe(written);
	expect(written).toContain('| Queue mode, the worker is killed during a run |');
});

it('docs/reliability.md shows what Retry in the list of executions does, as npm run faults writes it', async () => {
	expect(await executionTable()).toBe(readSection('executions'));
});
