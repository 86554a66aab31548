import { tool, type UIMessageChunk } from 'ai';
import { z } from 'zod';
import { travelBooks } from '../shop/books';
import { scenarioNamedBy, streamed, type Run, type Scenario } from '../scenarios';
import { events } from '../streams';
import { openPage, openPages, type OpenedPage } from './browse';
import { PIXEL_PNG } from './canned';
import { agentLoop, call, step, words, type ModelPart } from './loop';
import { replyTo } from './reply';
import { isAboutBooks, isAboutShop } from './task';

const DELAY_MS = 5;

/** Whether the last task of a thread is about the shop, or continues one that is. A task that names a scenario is not. */
export const isForShopAgent = (queries: string[]) =>
	!scenarioNamedBy(queries.at(-1)!) && queries.some((query) => !scenarioNamedBy(query) && isAboutShop(query));

/** Where the agent begins to read. */
const firstPage = ({ queries, shopUrl }: Run) => (queries.some(isAboutBooks) ? travelBooks.url : shopUrl);

/** The last step: the sources, a picture, and the reply. */
function conclude(queries: string[], pages: OpenedPage[]): ModelPart[] {
	const sources = pages.map(
		({ url, title }, index): ModelPart => ({ type: 'source', sourceType: 'url', id: `src-${index + 1}`, url, title }),
	);
	const file: ModelPart = { type: 'file', mediaType: 'image/png', data: PIXEL_PNG };
	return step([...sources, file, ...words('text', 'reply', replyTo(queries, pages))], 'stop');
}

/** Opens the pages of the shop one by one, unless they were read earlier in the thread, and replies to the task. */
function shopRun(run: Run, signal: AbortSignal): ReadableStream<UIMessageChunk> {
	const { threadId, queries, state } = run;
	return agentLoop(queries.at(-1)!, signal, DELAY_MS, (writer) => {
		const pages: OpenedPage[] = [];
		const progress = () => {
			const data = { done: pages.length, ...(pages.length > 0 ? { of: pages[0].of } : {}) };
			writer.write({ type: 'data-progress', id: 'progress', data });
		};
		const think = async () => {
			if (pages.length === 0) pages.push(...((await state.readings.get(threadId)) ?? []));
			const next = pages.length > 0 ? pages.at(-1)!.next : firstPage(run);
			if (!next) {
				state.readings.set(threadId, Promise.resolve(pages));
				return conclude(queries, pages);
			}
			const opening = call(`call-${pages.length + 1}`, 'openPage', { url: next });
			if (pages.length === 0) {
				return step([...words('reasoning', 'plan', 'I open the shop and read its offers.'), ...opening], 'tool-calls');
			}
			const remark = pages.length === 1 ? words('text', 'remark', 'The page is open, now the next one.') : [];
			return step([...remark, ...opening], 'tool-calls');
		};
		const tools = {
			openPage: tool({
				description: 'Opens a page',
				inputSchema: z.object({ url: z.string() }),
				execute: async ({ url }) => {
					writer.write({ type: 'data-status', data: { message: `Opening ${url}` }, transient: true });
					const page = await openPage(url, signal);
					pages.push(page);
					return { url, title: page.title, offers: page.offers.length };
				},
			}),
		};
		return { tools, think, afterStep: progress };
	});
}

/** The agent for tasks about the shop. In the background it reads the pages, so that its thread can be asked for them. */
export const shopAgent: Scenario = {
	...streamed('opens the pages of the shop and returns its offers', (run, wire) => events(shopRun(run, wire.signal))),
	detached: (run, wire) => {
		const { threadId, state } = run;
		wire.detached();
		// A shop that cannot be read is opened again by the next run of the thread.
		state.readings.set(threadId, state.readings.get(threadId) ?? openPages(firstPage(run)).catch(() => []));
	},
};
