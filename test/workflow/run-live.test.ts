/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';

import { LiveOutput } from '../../nodes/RunAutomation/output/live';
import { continued, runAutomation, type Extra } from '../engine/run-node';
import { events, finish, runStream, streamHeaders, textChunks as text } from '../engine/serve-stream';
import { executionOf } from '../support/execution';
import { useService } from '../support/use-service';

const service = useService();
const run = (query: string, options = {}, extra: Extra = {}) => runAutomation(service, { query, options }, extra);

describe('a chat', () => {
	const contents = ({ chunks }: Awaited<ReturnType<typeof run>>) => chunks.map(({ type, content }) => [type, content]);
	const streaming = true;

	it('receives text as it comes', async () => {
		const words = ['first ', 'then ', 'last'];
		const [start, , end] = text('');
		const pieces = words.map((delta) => events({ type: 'text-delta', id: '1', delta }));
		let response: ServerResponse;
		/** The service goes on when a word is shown. */
		const goOn = () => response.write(pieces.shift() ?? events(end, finish) + 'data: [DONE]\n\n');
		const ran = await runStream(
			(query, opened) => {
				response = opened.writeHead(200, streamHeaders(query));
				response.write(events(start));
				goOn();
			},
			{},
			{ streaming, onLiveChunk: ({ content }) => void (content && goOn()) },
		);
		const shown = words.map((word) => ['item', word]);
		expect(contents(ran)).toEqual([['begin', undefined], ...shown, ['end', undefined]]);
		for (const { metadata } of ran.chunks) expect(metadata).toMatchObject({ itemIndex: 0, nodeName: 'Tested Node' });
	});

	it('receives tool steps and data if they are asked for, each in one quote', async () => {
		const call = { type: 'tool-input-available', toolCallId: '1', toolName: 'a\nb', input: {} };
		const failure = { type: 'tool-output-error', toolCallId: '1', errorText: 'No' };
		const data = [{ type: 'data-progress' }, { type: 'data-status', data: { a: 1 } }];
		const body = [call, failure, { ...failure, toolCallId: 2, errorText: 7 }, ...data, ...text('{"a": 1}'), finish];
		const names = ['Tool: a\n> b', 'a\n> b failed: No', 'A tool failed: ', 'progress: null', 'status: {"a":1}'];
		const quotes = names.map((quote) => ['item', `\n> ${quote}\n\n`]);
		const live = ['tools', 'data'];
		const withoutText = await runStream(body, { options: { live } }, { streaming });
		expect(contents(withoutText).slice(1, -1)).toEqual(quotes);
		const ran = await runStream(body, { options: { live: ['text', ...live] } }, { streaming });
		expect(contents(ran).slice(1, -1)).toEqual([...quotes, ['item', '{"a": 1}']]);
	});

	it.each<[input: unknown, shown: string]>([
		[{ url: 'https://me:pw-1@shop.example:8443/a/b?token=pw-2#pw-3', password: 'pw-4' }, ' shop.example:8443/a/b'],
		[{ href: 'https://shop.example', text: 'pw-1' }, ' shop.example/'],
		[{ url: 'https://shop.example/live-key-5f3a9c/x' }, ' shop.example/***/x'],
		[{ url: 'javascript:alert(1)' }, ''],
		[{ url: 'data:text/plain,pw-1' }, ''],
		[{ url: 'pw-1' }, ''],
		[{ url: 7, link: 'https://shop.example' }, ''],
		['https://shop.example', ''],
		[null, ''],
	])('receives of the input of a tool only the host and path of a page: %j', async (input, shown) => {
		const call = { type: 'tool-input-available', toolCallId: '1', toolName: 'openPage', input };
		const extra = { streaming, credentials: { apiKey: 'live-key-5f3a9c' } };
		const ran = await runStream([call, finish], { options: { live: ['tools'] } }, extra);
		expect(contents(ran).slice(1, -1)).toEqual([['item', `\n> Tool: openPage${shown}\n\n`]]);
	});

	it('receives no key that the service repeats in the name of a tool, in why one failed or in data', async () => {
		const key = 'live-key-5f3a9c';
		const call = { type: 'tool-input-available', toolCallId: '1', toolName: `open ${key}`, input: {} };
		const failure = { type: 'tool-output-error', toolCallId: '1', errorText: 'No' };
		const data = { type: 'data-step', data: { key } };
		const extra = { streaming, credentials: { apiKey: key } };
		const unnamed = { ...failure, toolCallId: '2', errorText: `Not for ${key}` };
		const options = { live: ['tools', 'data'] };
		const ran = await runStream([call, failure, data, unnamed, finish], { options }, extra);
		const quotes = ['Tool: open ***', 'open *** failed: No', 'step: {"key":"***"}', 'A tool failed: Not for ***'];
		expect(contents(ran).slice(1, -1)).toEqual(quotes.map((quote) => ['item', `\n> ${quote}\n\n`]));
	});

	it.each([
		['the end', (live: LiveOutput) => live.end(undefined, undefined), ['end']],
		['an error that stops the node', (live: LiveOutput) => live.breakOff(), []],
	])('receives an empty text if nothing was sent for 25 s, and nothing after %s', async (_name, end, last) => {
		jest.useFakeTimers();
		const sendChunk = jest.fn();
		const context = { sendChunk };
		const live = new LiveOutput(
			{ context, execution: executionOf({ isStreaming: true }) } as never,
			{ itemIndex: 0, liveKinds: [] } as never,
		);
		await jest.advanceTimersByTimeAsync(24_999);
		expect(sendChunk.mock.calls).toEqual([['begin', 0, undefined]]);
		await jest.advanceTimersByTimeAsync(25_001);
		end(live);
		await jest.advanceTimersByTimeAsync(50_000);
		const left = jest.getTimerCount();
		jest.useRealTimers();
		expect(sendChunk.mock.calls.map(([type]) => type as string)).toEqual(['begin', 'item', 'item', ...last]);
		expect(left).toBe(0);
	});

	it('is reported an error with its reason', async () => {
		const at = async (automationUrl: string, extra: Extra = {}) =>
			await run('quick', {}, { streaming, credentials: { automationUrl }, ...extra });
		const refused = await at('e.co');
		expect(contents(refused).at(-1)).toEqual(['error', "'Automation URL' does not start with https://"]);
		const told = await at('', continued);
		expect(contents(told).slice(1)).toEqual([
			['item', "\n> 'Automation URL' is empty\n\n"],
			['end', undefined],
		]);
		expect(told.chunks.map(({ metadata }) => metadata.itemIndex)).toEqual([0, 0, 0]);
		const failed = await run('failed task', {}, { streaming });
		// Advice is for the builder, who finds it in the error's data.
		const error = ['error', 'Run failed: The site blocked the agent'];
		expect(failed.error?.context.data).toMatchObject({ advice: expect.any(String) as string });
		expect(contents(failed).slice(-2)).toEqual([['item', '\n\n'], error]);
		expect(failed.chunks.filter(({ type }) => type === 'end')).toEqual([]);
	});
});
