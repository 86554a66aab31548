import { tool, type UIMessageChunk } from 'ai';
import { z } from 'zod';
import { agentLoop, call, openPage, step, words } from './loop';

/** The smallest PNG there is: one transparent pixel. */
export const PIXEL_PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PAGE = 'https://shop.example/products?page=1';
const OPENING = 'I should open the page first and look at what it shows.';
const LIST = { mediaType: 'application/pdf', title: 'Price list', filename: 'prices.pdf' };
const DELAY_MS = 40;

/** The same for every task: two tools (the second one fails), reasoning, sources and a file, with data parts between them. */
export function cannedRun(task: string, answer: string, signal: AbortSignal): ReadableStream<UIMessageChunk> {
	const open = call('call-open', 'openPage', { url: PAGE });
	const click = call('call-click', 'clickElement', { element: 'Next page' });
	const steps = [
		step([...words('reasoning', 'r1', OPENING), ...open], 'tool-calls'),
		step([...words('text', 't1', 'The page is open, now the next one.'), ...click], 'tool-calls'),
		step(
			[
				{ type: 'source', sourceType: 'url', id: 'src-1', url: PAGE, title: 'Products' },
				{ type: 'source', sourceType: 'document', id: 'src-2', ...LIST },
				{ type: 'file', mediaType: 'image/png', data: PIXEL_PNG },
				...words('text', 't2', answer),
			],
			'stop',
		),
	];
	return agentLoop(task, signal, DELAY_MS, steps, (status) => ({
		openPage: openPage(() => status('Waiting for the page'), { status: 200, title: 'Products' }),
		clickElement: tool({
			inputSchema: z.object({ element: z.string() }),
			execute: async ({ element }): Promise<string> => {
				throw new Error(`No element "${element}" on the page`);
			},
		}),
	}));
}
