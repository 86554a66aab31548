import fc from 'fast-check';
import type { IExecuteFunctions, INode, INodeType, IRun, NodeApiError } from 'n8n-workflow';

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

/**
 * A workflow with Run Automation and one item for each list of answers, of which one service counts all starts. A run that is held
 * goes on until there are three.
 */
async function workflowOf(answers: string[][]) {
	let goOn = () => {};
	const held = new Promise<void>((resolve) => (goOn = resolve));
	const onStart = () => void (starts.flat().length === 3 && goOn());
	const { target, starts, stop } = await serveStarts(answers, onStart, held);
	const input = answers.map((_, item) => ({ json: { item } }));
	const execute = async (settings: Partial<INode>, options: Record<string, unknown>, retryOf?: IRun) => {
		// How a busy service is waited for is tested by itself.
		const form = { query: '={{ String($json.item) }}', options: { waitIfBusy: 0, ...options } as never };
		const tries: Try[] = [];
		const nodes = { ...registry.nodes, [RUN_AUTOMATION]: observed(starts, tries) };
		const more = { input, node: { ...RETRY, ...settings }, registry: { ...registry, nodes }, retryOf };
		return { ...(await runNode(RUN_AUTOMATION, target, form, more)), starts, tries };
	};
	return { execute, starts, stop };
}

/** Executes such a workflow once. */
async function run(answers: string[][], settings: Partial<INode> = {}, options: Record<string, unknown> = {}) {
	const { execute, stop } = await workflowOf(answers);
	const ran = await execute(settings, options);
	await stop();
	return ran;
}

const textOf = (error: NodeApiError) => JSON.stringify([error.message, error.description, error.context]);

const everything = ({ items, errorItems, error }: Awaited<ReturnType<typeof run>>) =>
	JSON.stringify([items, errorItems, error?.message, error?.description, error?.context]);

interface ChosenOptions {
	parallelRuns: number;
	/** A Retry with the other choice starts what did not complete. */
	ifIncomplete: 'error' | 'partial';
}

/** How many starts an error says that Retry makes; undefined if it says nothing of Retry. */
function promisedBy({ description }: NodeApiError): number | undefined {
	const said = /'Retry' on this execution starts (?:all )?(\d+) items?/.exec(description ?? '')?.[1];
	return said === undefined ? undefined : Number(said);
}

/** How many starts Retry makes if each of them completes. Nothing of it is left behind. */
async function startsOf(retry: () => Promise<unknown>, answers: string[][], starts: string[][]): Promise<number> {
	const before = starts.map(({ length }) => length);
	const written = answers.map((names) => names.splice(0, Infinity, 'completed'));
	await retry();
	for (const [item, names] of answers.entries()) names.splice(0, Infinity, ...written[item]);
	return starts.flatMap((sent, item) => sent.splice(before[item])).length;
}

/** Executes a workflow, presses Retry on the latest execution as long as it fails, and looks at what each of its tries did. */
async function followChain(
	{ execute, starts }: Awaited<ReturnType<typeof workflowOf>>,
	answers: string[][],
	node: Pick<INode, 'onError' | 'maxTries' | 'retryOnFail'>,
	chain: ChosenOptions[],
) {
	const stops = node.onError === 'stopWorkflow';
	const answerOf = (item: number, index: number) => ANSWERS[answers[item][Math.min(index, answers[item].length - 1)]];
	let latest: Awaited<ReturnType<typeof execute>> | undefined;
	for (const chosen of chain) {
		const sentBefore = starts.map(({ length }) => length);
		latest = await execute(node, { ...chosen }, latest?.run);
		for (const { before, after, error } of latest.tries) {
			const isDecided = before.some((sent, item) => {
				if (sent.length === sentBefore[item] || chosen.ifIncomplete === 'partial') return false;
				const { isRefused, isSuccess } = answerOf(item, sent.length - 1);
				return !isRefused && !isSuccess;
			});
			// Once an item has failed for good, no try starts anything.
			if (stops && isDecided) expect(after).toEqual(before);
			if (!error) continue;
			for (const [item, sent] of after.entries()) {
				for (const [index, thread] of sent.entries()) {
					if (thread && !answerOf(item, index).isNameless) expect(textOf(error)).toContain(thread);
				}
			}
		}
		for (const [item, sent] of starts.entries()) {
			const own = [...sent.keys()].slice(sentBefore[item]);
			expect(own.slice(0, -1).filter((index) => !answerOf(item, index).isRefused)).toEqual([]);
			// An item that completed is never started again.
			expect(
				own.filter((index) => [...sent.keys()].some((earlier) => earlier < index && answerOf(item, earlier).isSuccess)),
			).toEqual([]);
			const last = sent.length - 1;
			if (last !== -1 && !answerOf(item, last).isNameless) expect(everything(latest)).toContain(sent[last]);
		}
		if (!latest.error) break;
		const { run, error } = latest;
		const promised = promisedBy(error);
		const retry = async () => await execute(node, { ...chosen }, run);
		if (promised !== undefined) expect(await startsOf(retry, answers, starts)).toBe(promised);
	}
}

const refused = Object.keys(ANSWERS).filter((name) => ANSWERS[name].isRefused);
const uncertain = Object.keys(ANSWERS).filter((name) => !ANSWERS[name].isRefused && !ANSWERS[name].isSuccess);

describe('with Retry On Fail at three tries', () => {
	it.each(uncertain)('a start that is %s is sent once, and its error is returned on every try', async (name) => {
		const { starts, error } = await run([[name, 'completed']]);
		expect(starts).toEqual([['thread-0-0']]);
		expect(error?.context.data).toHaveProperty('thread_id');
		const description = error!.description!;
		expect(description.match(/Thread ID: /g) ?? []).toHaveLength(description.includes('thread-0-0') ? 1 : 0);
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
		const { tries } = await run([['held'], ...others], {}, { parallelRuns: 2 });
		expect(tries).toHaveLength(3);
		for (const { error, after } of tries) {
			const { runs } = error!.context.data as { runs: Array<{ thread_id: string }> };
			expect(runs.map(({ thread_id }) => thread_id)).toEqual(after.flat());
			const [succeeded, missing] = [runs.length - 1, 6 - runs.length];
			expect(error!.description).toContain(`The results of ${succeeded} item`);
			expect(error!.description!.includes('not started')).toBe(missing > 0);
		}
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

	it('whatever happens, no item is started twice unless it was refused, or Retry asks for it', async () => {
		const answer = fc.array(fc.constantFrom(...Object.keys(ANSWERS)), { minLength: 1, maxLength: 4 });
		const settings = fc.record({
			onError: fc.constantFrom<INode['onError']>('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
			maxTries: fc.integer({ min: 2, max: 4 }),
			retryOnFail: fc.boolean(),
		});
		const options = fc.record<ChosenOptions>({
			parallelRuns: fc.integer({ min: 1, max: 6 }),
			ifIncomplete: fc.constantFrom('error', 'error', 'partial'),
		});
		// An execution, and as many times Retry on the latest one as it fails.
		const executions = fc.array(options, { minLength: 1, maxLength: 4 });
		const items = fc.array(answer, { minLength: 1, maxLength: 20 });
		await fc.assert(
			fc.asyncProperty(items, settings, executions, async (answers, node, chain) => {
				const workflow = await workflowOf(answers);
				await followChain(workflow, answers, node, chain).finally(workflow.stop);
			}),
			fuzz({ runs: 60, nightly: 2000, minutes: 30 }),
		);
	});
});
