import * as files from '../../nodes/RunAutomation/output/files';
import { Secrets } from '../../nodes/shared/mask/secrets';
import { LiveOutput } from '../../nodes/RunAutomation/output/live';
import { events, finish, runStream, textChunks } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { useStoppedClock } from '../support/clock';
import { executionOf } from '../support/execution';

it('a run is complete, whatever cannot be shown of it', async () => {
	const depth = 6000;
	const nested = `data: {"type":"data-x","data":${'['.repeat(depth)}${']'.repeat(depth)}}\n\n`;
	const input = `{"type":"tool-input-available","toolCallId":"1","toolName":"t","input":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
	const body = `${nested}data: ${input}\n\n${events(...textChunks('Done'), finish)}`;
	for (const operation of ['result', 'raw']) {
		const live = ['text', 'tools', 'data'];
		const form = { operation, options: { live, ...(operation === 'result' && { simplify: false }) } };
		const { items, error, chunks } = await runStream(body, form, { mode: 'webhook', streaming: true });
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ status: 'completed' });
		expect(items[0].json.warnings).toContain('Dropped deeply nested values from a chunk of type data-x');
		expect(chunks.map(({ content }) => content).join('')).toContain('Done');
	}
});

it('an error keeps the result, whatever goes wrong after its stream has ended', async () => {
	const broken = jest.spyOn(files, 'attachFiles').mockRejectedValue(new Error('Out of luck'));
	const { error } = await runStream([...textChunks('Done'), finish]);
	broken.mockRestore();
	expect(error?.message).toBe('Out of luck');
	expect(error?.context.data).toMatchObject({ text: 'Done', thread_id: THREAD, status: 'completed' });
});

it('what cannot be shown live does not end a run', () => {
	const context = { sendChunk: async () => {} };
	const request = { itemIndex: 0, operation: 'result' as const, liveKinds: ['data' as const] };
	const live = new LiveOutput({ context, execution: executionOf({ isStreaming: true }) } as never, {
		...request,
		secrets: new Secrets([]),
	});
	const data = {
		toJSON: () => {
			throw new Error('Too deep');
		},
	};
	expect(() => live.showChunks([{ type: 'data-x', data }])).not.toThrow();
	live.end(undefined, undefined);
});

describe('of runs that are over', () => {
	const clock = useStoppedClock();

	it.each([
		['completed', events(finish)],
		['failed', events({ type: 'error', errorText: 'Blocked' })],
		['interrupted', ''],
	])('no timer is left a second later: %s', async (_how, end) => {
		const input = Array.from({ length: 10 }, () => ({}));
		await runStream(events(...textChunks('x')) + end, { options: { parallelRuns: 10 } }, { input });
		await clock.pass(1);
		expect(jest.getTimerCount()).toBe(0);
	});
});
