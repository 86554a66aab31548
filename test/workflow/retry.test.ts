import fc from 'fast-check';
import type { IExecuteFunctions, INode, INodeType, NodeApiError } from 'n8n-workflow';

import { BROWSER_AUTOMATION, registry, RUN_AUTOMATION, runNode } from '../engine/run-node';
import { ANSWERS, serveStarts } from '../engine/serve-starts';
import { fuzz } from '../unit/fuzz';

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** One try of n8n: the starts of each item before and after it, and the error that it ended with. */
interface Try {
	before: string[][];
	after: string[][];
	error?: NodeApiError;
}

/** Run Automation, with what each of its tries did. */
function observed(starts: string[][], tries: Try[]): INodeType {
	const node = registry.nodes[RUN_AUTOMATION];
	return Object.assign(Object.create(node) as INodeType, {
		async execute(this: IExecuteFunctions) {
			const before = structuredClone(starts);
			const end = (error?: NodeApiError) => void tries.push({ before, after: structuredClone(starts), error });
			const result = node.execute!.call(this);
			await result.then(() => end(), end);
			return await result;
		},
	});
}

/** Runs Run Automation on the engine, with one item for each list of answers. */
async function run(answers: string[][], settings: Partial<INode> = {}, options: Record<string, unknown> = {}) {
	const { target, starts, stop } = await serveStarts(answers);
	// How a busy service is waited for is tested by itself.
	const form = { query: '={{ String($json.item) }}', options: { waitIfBusy: 0, ...options } as never };
	const input = answers.map((_, item) => ({ json: { item } }));
	const tries: Try[] = [];
	const nodes = { ...registry.nodes, [RUN_AUTOMATION]: observed(starts, tries) };
	const node = { ...RETRY, ...settings };
	const ran = await runNode(RUN_AUTOMATION, target, form, { input, node, registry: { ...registry, nodes } });
	await stop();
	return { ...ran, starts, tries };
}

const textOf = (error: NodeApiError) => JSON.stringify([error.message, error.description, error.context]);

const everything = ({ items, errorItems, error }: Awaited<ReturnType<typeof run>>) =>
	JSON.stringify([items, errorItems, error?.message, error?.description, error?.context]);

const refused = Object.keys(ANSWERS).filter((name) => ANSWERS[name].isRefused);
const uncertain = Object.keys(ANSWERS).filter((name) => !ANSWERS[name].isRefused && !ANSWERS[name].isSuccess);

describe('with Retry On Fail at three tries', () => {
	it.each(uncertain)('a start that is %s is sent once, and its error is returned on every try', async (name) => {
		const { starts, error } = await run([[name, 'completed']]);
		expect(starts).toEqual([['thread-0-0']]);
		expect(error?.context.data).toHaveProperty('thread_id');
		const description = error!.description!;
		expect(description.match(/Thread ID: /g) ?? []).toHaveLength(description.includes('thread-0-0') ? 1 : 0);
		const restarted = await run([[name, 'completed']], {}, { restartFailed: true });
		expect(restarted.starts[0]).toHaveLength(ANSWERS[name].isRestartable ? 2 : 1);
	});

	it.each(refused)('a start that is refused with %s is sent again', async (name) => {
		const { items, error, starts } = await run([[name, 'completed']]);
		expect(starts).toEqual([['', 'thread-0-1']]);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ status: 'completed', thread_id: 'thread-0-1' });
	});

	it('a failure that an earlier try left decides before anything starts', async () => {
		const { starts, error } = await run(
			[['completed'], ['interrupted'], ['429', 'completed']],
			{},
			{ parallelRuns: 3 },
		);
		expect(starts).toEqual([['thread-0-0'], ['thread-1-0'], ['']]);
		expect(error?.context).toMatchObject({ itemIndex: 1, data: { thread_id: 'thread-1-0' } });
	});

	it('the error of every try names every run, however long each took', async () => {
		const others = Array.from({ length: 5 }, () => ['completed']);
		const { starts, tries } = await run([['slow'], ...others], {}, { parallelRuns: 2 });
		expect(starts.flat().length).toBeGreaterThan(2);
		expect(tries).toHaveLength(3);
		for (const { error, after } of tries) {
			const { runs } = error!.context.data as { runs: Array<{ thread_id: string }> };
			expect(runs.map(({ thread_id }) => thread_id)).toEqual(after.flat());
			const [succeeded, missing] = [runs.length - 1, 6 - runs.length];
			expect(error!.description).toContain(`The results of ${succeeded} item`);
			expect(error!.description!.includes('not started')).toBe(missing > 0);
		}
	});

	it('a run that is started again is named beside the one before it', async () => {
		const { error } = await run([['failed', 'interrupted']], {}, { restartFailed: true });
		const threads = [
			{ item: 0, status: 'failed', thread_id: 'thread-0-0' },
			{ item: 0, status: 'interrupted', thread_id: 'thread-0-1' },
		];
		expect(error?.context.data).toMatchObject({ thread_id: 'thread-0-1', runs: threads });
	});

	it('the memory is neither saved with the execution nor seen by an expression', async () => {
		const { run: execution } = await run([['completed']]);
		const { contextData } = execution.data.executionData!;
		expect(JSON.stringify(contextData)).toBe('{"node:Tested Node":{}}');
	});

	it.each([
		['reset', 1],
		['429', 3],
	])('a start of Browser Automation with the response %s is sent %d times', async (answer, count) => {
		const { target, starts, stop } = await serveStarts([[answer]]);
		const form = { resource: 'automationRun', operation: 'start', query: '0' };
		await runNode(BROWSER_AUTOMATION, target, form, { node: RETRY });
		await stop();
		expect(starts[0]).toHaveLength(count);
	});

	it('whatever happens, no item is started twice unless it was refused or the option allows it', async () => {
		const answer = fc.array(fc.constantFrom(...Object.keys(ANSWERS)), { minLength: 1, maxLength: 3 });
		const settings = fc.record({
			onError: fc.constantFrom<INode['onError']>('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
			maxTries: fc.integer({ min: 2, max: 4 }),
			retryOnFail: fc.boolean(),
		});
		const options = fc.record({
			restartFailed: fc.boolean(),
			parallelRuns: fc.integer({ min: 1, max: 6 }),
			ifIncomplete: fc.constantFrom('error', 'partial'),
		});
		const items = fc.array(answer, { minLength: 1, maxLength: 20 });
		await fc.assert(
			fc.asyncProperty(items, settings, options, async (answers, node, chosen) => {
				const ran = await run(answers, node, chosen);
				const stops = node.onError === 'stopWorkflow';
				for (const { before, after, error } of ran.tries) {
					const answerOf = (item: number) =>
						ANSWERS[answers[item][Math.min(before[item].length, answers[item].length) - 1]];
					const isDecided = before.some((sent, item) => {
						if (!sent.length || chosen.ifIncomplete === 'partial') return false;
						const { isRefused, isRestartable, isSuccess } = answerOf(item);
						return !isRefused && !isSuccess && !(isRestartable && chosen.restartFailed);
					});
					// Once an item has failed for good, no try starts anything.
					if (stops && isDecided) expect(after).toEqual(before);
					if (!error) continue;
					for (const [item, sent] of after.entries()) {
						const of = (index: number) => ANSWERS[answers[item][Math.min(index, answers[item].length - 1)]];
						for (const [index, thread] of sent.entries()) {
							if (thread && !of(index).isNameless) expect(textOf(error)).toContain(thread);
						}
					}
				}
				for (const [item, sent] of ran.starts.entries()) {
					const of = (index: number) => ANSWERS[answers[item][Math.min(index, answers[item].length - 1)]];
					const mayStartAgain = ({ isRefused, isRestartable }: ReturnType<typeof of>) =>
						isRefused || (chosen.restartFailed && isRestartable);
					expect(sent.slice(0, -1).filter((_, index) => !mayStartAgain(of(index)))).toEqual([]);
					const isNamed = sent.length > 0 && !of(sent.length - 1).isNameless;
					if (isNamed) expect(everything(ran)).toContain(sent.at(-1));
				}
			}),
			fuzz({ runs: 60, nightly: 2000, minutes: 30 }),
		);
	});
});
