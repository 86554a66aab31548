import { operationOf, runAutomation, type Extra } from '../engine/run-node';
import { useService } from '../support/use-service';

const service = useService();
const run = (query: string, options = {}, extra: Extra = {}, operation = 'result') =>
	runAutomation(service, { ...operationOf(operation), query, options }, extra);
const times = (length: number) => Array.from({ length }, () => ({}));

describe('Runs in Parallel', () => {
	it('keeps the order of items and starts each run once', async () => {
		const input = times(12).map((_, index) => ({ task: index % 3 ? `quick ${index}` : 'slow 0.4' }));
		const { items } = await run('={{ $json.task }}', { parallelRuns: 4 }, { input });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
		expect(items[1].json.text).toBe('Done: 1.');
		const { starts } = service;
		expect(starts).toHaveLength(input.length);
		expect(starts.some(({ closedAt }, index) => closedAt! > (starts[index + 1]?.startedAt ?? Infinity))).toBe(true);
	});

	it('reads the runs that go on to their end before it stops, and lists every thread', async () => {
		const input = ['slow 0.6', 'failed', 'quick never'].map((task) => ({ task }));
		const { error } = await run('={{ $json.task }}', { parallelRuns: 2 }, { input });
		const starts = ['slow 0.6', 'failed'].map((task) => service.starts.find(({ body }) => body.query === task)!);
		expect(await starts[0].closed).toBe('finished');
		const [slow, failed] = starts.map(({ threadId }) => threadId);
		expect((error?.context.data as { runs: unknown }).runs).toEqual([
			{ item: 0, status: 'completed', thread_id: slow },
			{ item: 1, status: 'failed', thread_id: failed },
		]);
		expect(error?.message).toBe('The site blocked the agent');
		expect(error?.description).toContain('1 failed and 1 not started items');
	});
});
