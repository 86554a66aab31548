import { logStart, recordThread } from '../../nodes/shared/n8n/record-runs';
import { continued, runAutomation, type Extra } from '../engine/run-node';
import { events, finish, runStream, textChunks } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { useService } from '../support/use-service';

const service = useService();
const run = (query: string, options = {}, extra: Extra = {}) => runAutomation(service, { query, options }, extra);
const SEVEN = '[item 0], [item 1], [item 2], [item 3], [item 4], and 2 more';
const newestThread = () => service.starts.at(-1)!.threadId;
const times = (length: number) => Array.from({ length }, () => ({}));
const messages = ({ hints }: Awaited<ReturnType<typeof run>>) =>
	hints.map(({ type, message }) => `${type}: ${message}`);
const partial = { options: { ifIncomplete: 'partial' } };

describe('the thread ID', () => {
	const threads = ({ run: execution }: Awaited<ReturnType<typeof run>>) =>
		execution.data.resultData.metadata?.thread_ids;

	it('is in the custom data of the execution, the newest first, up to six', async () => {
		const list = threads(await run('quick', {}, { input: times(9) }))!;
		const newest = service.starts.slice(3).map(({ threadId }) => threadId);
		expect(list.split(', ')).toEqual(newest.reverse());
		expect(list.length).toBeLessThanOrEqual(255);
	});

	it('is there before the end of the run, also if the execution is stopped', async () => {
		let stop: () => void;
		const cancelWhen = new Promise<void>((resolve) => (stop = resolve));
		const onLiveChunk = ({ type }: { type: string }) => type === 'item' && stop();
		expect(threads(await run('hang', {}, { cancelWhen, streaming: true, onLiveChunk }))).toBe(newestThread());
	});

	const place = { getWorkflow: () => ({ id: 'w' }), getNode: () => ({ name: 'Shop' }) };

	it('is logged with its execution', () => {
		const info = jest.fn();
		const context = { ...place, getExecutionId: () => '7', logger: { info } } as never;
		logStart(context, 'requested', 3);
		recordThread(context, 3, THREAD);
		const where = 'execution 7, workflow w, node Shop, item 3';
		expect(info.mock.calls).toEqual([
			[`Automation run requested: ${where}`, { threadId: undefined, itemIndex: 3 }],
			[`Automation run started: thread ${THREAD}, ${where}`, { threadId: THREAD, itemIndex: 3 }],
		]);
	});
});

describe('the hints after a run', () => {
	it('tell of a partial result, without a word of the service', async () => {
		const error = { type: 'error', errorText: `<img src="https://x"> & <a'>` };
		const broken = `${events({ type: '<c>' })}data: <b> "\n\ndata: !\n\n`;
		const ran = await runStream(broken + events(error), partial);
		expect(messages(ran)).toEqual(['warning: Partial result: failed', 'warning: Warnings of the run: 1']);
	});

	// litellm#24442, n8n#18654: green without a word.
	it.each<[string, object[], string[]]>([
		['no text', [finish], ['warning: The run returned no text']],
		['only blanks and tool calls', [...textChunks(' \n'), finish], ['warning: The run returned no text']],
		['data', [{ type: 'data-price', data: 1 }, finish], []],
		['a file', [{ type: 'file', url: 'data:,a', mediaType: 'text/plain' }, finish], []],
		['no text, and no end', [], ['warning: Partial result: interrupted']],
	])('tell of a run without content: %s', async (_name, chunks, expected) => {
		expect(messages(await runStream(chunks, partial))).toEqual(expected);
	});

	it('name the columns in which no row has a value', async () => {
		const columns = { column: ['name', 'price', 'note'].map((name) => ({ name })) };
		const rows = [{ name: 'A', price: null, note: '' }, { name: '' }];
		const chunks = [...textChunks(JSON.stringify({ rows })), finish];
		const ran = await runStream(chunks, { operation: 'rows', columns });
		expect(messages(ran)).toEqual(['warning: No row has a value for &quot;price&quot;, &quot;note&quot;']);
	});

	it.each([
		['https://x/a%2Fb?c="d"', '<a href="https://x/a%2Fb?c=&quot;d&quot;" target="_blank">'],
		['https://x/\ud800', '<a href="https://x/\ud800'],
		['https://x/?key=live-key-5f3a9c', '<a href="https://x/?key=***"'],
		['javascript:alert(1)', `its thread is ${THREAD}`],
		['x+https://x', `its thread is ${THREAD}`],
		['https://', `its thread is ${THREAD}`],
		['https://api.example.com:x@evil.example/threads/1', `its thread is ${THREAD}`],
	])('have the link %j of a thread as the service gave it, if it is one', async (url, expected) => {
		const answer = JSON.stringify({ thread_id: THREAD, url });
		const ran = await runStream(answer, { operation: 'background' }, { credentials: { apiKey: 'live-key-5f3a9c' } });
		expect(ran.items[0].json.thread_id).toBe(THREAD);
		expect(messages(ran)[0]).toContain(expected);
	});

	it('count the failed items of a node that continues, which n8n marks as a success', async () => {
		const input = ['quick', 'failed', 'quick'].map((task) => ({ task }));
		const ran = await run('={{ $json.task }}', {}, { input, ...continued });
		expect(messages(ran)).toEqual(['warning: 1 of 3 items failed. [item 1]: Run failed: The site blocked the agent']);
		const all = await run('failed', {}, { input: times(7), ...continued });
		expect(messages(all)).toEqual(['warning: 7 of 7 items failed. [item 0]: Run failed: The site blocked the agent']);
	});

	it('name the items that they are about, if there are several', async () => {
		const input = ['quick', 'failed', 'failed', 'quick'].map((task) => ({ task }));
		const several = await run('={{ $json.task }}', partial.options, { input });
		expect(messages(several)).toEqual(['warning: [item 1], [item 2]: Partial result: failed']);
		const one = await run('={{ $json.task }}', partial.options, { input: input.slice(0, 2) });
		expect(messages(one)).toEqual(['warning: [item 1]: Partial result: failed']);
		const all = await run('failed', partial.options, { input: times(7) });
		expect(messages(all)).toEqual([`warning: ${SEVEN}: Partial result: failed`]);
	});
});
