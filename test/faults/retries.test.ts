import { readSection } from '../support/report';
import { observeRetries, retryTable } from './retries';

it('docs/reliability.md shows what Retry On Fail does, and a real n8n has played its rows', async () => {
	const written = readSection('retries');
	expect(written).toBe(retryTable(await observeRetries()));
	expect(written).not.toMatch(/\| {2}\|/);
});
