import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode } from '../engine/run-node';
import { ANSWERS, serveStarts } from '../engine/serve-starts';
import { fuzz } from '../unit/fuzz';

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** Runs Run Automation on the engine, with one item for each list of answers. */
async function run(answers: string[][], settings: Partial<INode> = {}, options: Record<string, unknown> = {}) {
	const { target, starts, stop } = await serveStarts(answers);
	const form = { query: '={{ String($json.item) }}', options: options as never };
	const input = answers.map((_, item) => ({ json: { item } }));
	const ran = await runNode(RUN_AUTOMATION, target, form, { input, node: { ...RETRY, ...settings } });
	await stop();
	return { ...ran, starts };
}

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
				for (const [item, sent] of ran.starts.entries()) {
					const of = (index: number) => ANSWERS[answers[item][Math.min(index, answers[item].length - 1)]];
					const mayStartAgain = ({ isRefused, isRestartable }: ReturnType<typeof of>) =>
						isRefused || (chosen.restartFailed && isRestartable);
					expect(sent.slice(0, -1).filter((_, index) => !mayStartAgain(of(index)))).toEqual([]);
					const isNamed = sent.length > 0 && !of(sent.length - 1).isNameless;
					if (isNamed) expect(everything(ran)).toContain(sent.at(-1));
				}
			}),
			fuzz(60),
		);
	});
});
