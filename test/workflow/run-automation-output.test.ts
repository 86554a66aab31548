import type { INodeParameters } from 'n8n-workflow';

import { asTool, operationOf, runAutomation, type Extra } from '../engine/run-node';
import { finish, runStream, textChunks as text } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { useService } from '../support/use-service';

const service = useService();
const blocked = { type: 'error', errorText: 'The site blocked the agent' };
const OUTPUTS = ['result', 'message', 'chunks'];
const partial = { options: { ifIncomplete: 'partial' } };
const file = (url: string, mediaType = 'text/plain') => ({ type: 'file', url, mediaType });

describe('the raw output', () => {
	const link = (list: object[]) =>
		list.map((json) => ({ json: { thread_id: THREAD, status: 'completed', ...json }, pairedItem: { item: 0 } }));
	const begin = { type: 'start', messageId: 'm' };
	const part = { type: 'text', text: 'a', state: 'done' };
	const message = { id: 'm', role: 'assistant', parts: [part] };

	it('is the whole message', async () => {
		const ran = await runStream([begin, ...text('a'), finish], operationOf('message'));
		expect([ran.items, ran.hints]).toEqual([link([{ message, warnings: [] }]), []]);
	});

	it('is every chunk as received, or the thread if there is none', async () => {
		const data = { type: 'data-p', id: 'p', data: 1 };
		const chunks = [data, { ...data, data: 2 }, { type: 'novelty', x: 1 }, finish];
		const ran = await runStream(chunks, operationOf('chunks'));
		expect(ran.items).toEqual(link(chunks.map((chunk) => ({ chunk }))));
		const { items } = await runStream('data: [DONE]\n\n', operationOf('chunks'));
		expect(items).toEqual(link([{}]));
	});

	it.each(OUTPUTS)('and the result say why a run is not complete: %s', async (name) => {
		const { items } = await runStream([...text('a'), blocked], { ...operationOf(name), ...partial });
		const why = { status: 'failed', reason: blocked.errorText, thread_id: THREAD };
		expect(items.map(({ json }) => json)).toEqual(items.map(() => expect.objectContaining(why) as object));
		expect(items).not.toEqual([]);
	});
});

describe('the sources', () => {
	const cite = (source: object, citedText?: string) => ({ source: { type: 'source', id: 'c', ...source }, citedText });
	const [a, b] = ['https://a/', 'https://b/'].map((url) => ({ sourceType: 'url', url, title: `Page ${url[8]}` }));
	const terms = { title: 'Terms', filename: 'terms.pdf' };
	const document = { sourceType: 'document', mediaType: 'application/pdf', ...terms };
	const [begin, delta, end] = text('Done');
	const citations = [cite(a, 'First'), cite(b), cite(a, 'Second'), cite(document, 'Third'), cite({}), 5, null];
	const cited = [begin, delta, { ...end, citations }, finish];

	it('are what a text cites, too, each URL once', async () => {
		const known = { type: 'source-url', sourceId: 's', url: b.url, title: 'Known' };
		const { items } = await runStream([known, ...cited], { options: { simplify: false } });
		expect(items[0].json.sources).toEqual([
			{ type: 'source-url', source_id: 's', url: b.url, title: 'Known' },
			{ type: 'source-url', source_id: 'c', url: a.url, title: 'Page a', cited_texts: ['First', 'Second'] },
			{ type: 'source-document', source_id: 'c', media_type: 'application/pdf', ...terms, cited_texts: ['Third'] },
		]);
	});

	it.each([{}, asTool])('are without the cited text if simplified, also for an agent: %j', async (extra) => {
		const { items } = await runStream(cited, {}, extra);
		expect(items[0].json.sources).toEqual([
			{ title: 'Page a', url: a.url },
			{ title: 'Page b', url: b.url },
			{ title: 'Terms', url: null },
		]);
	});
});

/** A call that waits for an approval. */
const pays = (toolCallId: string, toolName = 'pay', input: unknown = {}, reason?: string) => [
	{ type: 'tool-input-available', toolCallId, toolName, input },
	{ type: 'tool-approval-request', approvalId: toolName === 'pay' ? 'a' : toolName, toolCallId, reason },
];

const allFields = [...pays('1'), file('data:text/plain'), { type: 'source-url', sourceId: 's', url: 'https://x/' }];
const [head, lists] = ['text,status,thread_id,reason,warnings', 'sources,files,data'];

it.each<[string, INodeParameters, Extra, string]>([
	['all', { simplify: false }, {}, `${head},approvals,${lists},tools,metadata,finish_reason`],
	['those that Simplify leaves', {}, {}, `${head},approvals,${lists}`],
	['those that an agent gets', {}, asTool, `${head},approvals,sources,files`],
])('the fields of a result keep their order: %s', async (_name, form, extra, expected) => {
	const options = { ...form, ...partial.options };
	const { items } = await runStream([...allFields, ...text('Done'), finish], { options }, extra);
	expect(Object.keys(items[0].json).join()).toBe(expected);
});

describe('an AI agent', () => {
	it('gets a lean result, with sources and files by name, type, size and link', async () => {
		const source = { type: 'source-url', sourceId: '1', url: 'https://x/', title: 'X' };
		const sent = [file('data:text/plain,secret'), file('https://x/a.pdf', 'application/pdf'), source];
		const { items } = await runStream([...sent, ...text('Done'), finish], {}, asTool);
		const files = [
			{ media_type: 'text/plain', filename: 'file-0', size: 6 },
			{ media_type: 'application/pdf', url: 'https://x/a.pdf' },
		];
		const sources = [{ title: 'X', url: 'https://x/' }];
		const json = { text: 'Done', thread_id: THREAD, status: 'completed', sources, files };
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it('gets a bounded part of what waits for an approval, and no half characters', async () => {
		const reason = '😀'.repeat(1e5);
		const small = { amount: 5 };
		const long = { page: '😀'.repeat(1e6) };
		const calls = [...pays('1', 'pay', small, reason), ...pays('2', 'pay', long, reason)];
		const chunks = [...calls, ...text(`x${'😀'.repeat(20_000)}`), finish];
		const { items } = await runStream(chunks, partial, asTool);
		const json = JSON.stringify(items[0].json);
		expect(json.length).toBeLessThan(35_000);
		expect(json).not.toMatch(/\\ud[89a-f]/);
		expect(items[0].json.approvals).toMatchObject([{ input: small }, { input: expect.stringMatching(/^{"page":"😀/) }]);
	});

	it('gets at most 10,000 characters beside its text or rows, the most useful first', async () => {
		const title = 'x'.repeat(700);
		const named = Array.from({ length: 30 }, (_, index) => `https://x/${index}`);
		const sources = named.map((url) => ({ type: 'source-url', sourceId: url, url, title }));
		const files = named.map((url) => file(url, title));
		const failures = [0, 1, 2].map((index) => ({ type: 'error', errorText: `${index}${title}` }));
		const calls = named.slice(0, 2).flatMap((_, index) => pays(`${index}`, 'pay', { amount: [title, title] }, title));
		const shownOf = async (chunks: object[], form: INodeParameters = partial) => {
			const [{ json }] = (await runStream([...chunks, finish], form, asTool)).items;
			const counted = { ...json, text: undefined, rows: undefined };
			expect(JSON.stringify(counted).length).toBeLessThan(10_000);
			return counted as unknown as Record<'approvals' | 'files' | 'sources' | 'warnings', object[]>;
		};
		const all = await shownOf([...text('Done'), ...calls, ...failures, ...files, ...sources]);
		expect([all.approvals.length, all.warnings.length, all.sources]).toEqual([2, 2, undefined]);
		expect(all.files.length).toBeGreaterThan(5);
		expect((await shownOf([...text('Done'), ...sources])).sources.length).toBeGreaterThan(10);
		const form = { operation: 'rows', columns: { column: [{ name: 'a', type: 'text' }] } };
		const reply = JSON.stringify({ rows: [{ a: 'x' }], not_done: 'x'.repeat(3000) });
		await shownOf([...files, ...sources, ...text(reply)], form);
	});

	it.each(OUTPUTS)('gets a text of bounded size from %s', async (operation) => {
		const form = { ...operationOf(operation), query: `quick ${'word '.repeat(5000)}` };
		const { items } = await runAutomation(service, form, asTool);
		expect(Object.keys(items[0].json)).toEqual(['text', 'status', 'thread_id']);
		expect(items[0].json.text).toMatch(/… \(\d+ characters in all\)$/);
		expect(JSON.stringify(items[0].json).length).toBeLessThan(20_300);
	});
});
