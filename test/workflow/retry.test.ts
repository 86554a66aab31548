/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { EventEmitter, once } from 'node:events';
import fc from 'fast-check';
import type { IConnections, IExecuteFunctions, INode, INodeType, IRun, NodeApiError } from 'n8n-workflow';

import { CREDENTIALS, registry, RUN_AUTOMATION, runNode, storedFor, type Target } from '../engine/run-node';
import { runWorkflow } from '../engine/run-workflow';
import { ANSWERS, serveStarts } from '../engine/serve-starts';
import { letRead } from '../support/let-read';
import { startedThread } from '../engine/thread-of';
import { fuzz } from '../unit/fuzz';

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** One try of n8n: the starts of each item before and after it, and the error that it ended with. */
interface Try {
	before: string[][];
	after: string[][];
	error?: NodeApiError;
}

/** Run Automation, with what each of its tries did. */
function observed(starts: string[][], tries: Try[], onTry = () => {}): INodeType {
	const node = registry.nodes[RUN_AUTOMATION];
	return Object.assign(Object.create(node) as INodeType, {
		async execute(this: IExecuteFunctions) {
			const before = structuredClone(starts);
			const end = (error?: NodeApiError) => void tries.push({ before, after: structuredClone(starts), error });
			const result = node.execute!.call(this);
			await result.then(() => end(), end).then(onTry);
			return await result;
		},
	});
}

/**
 * Executes Run Automation with one item for each list of answers, of which one service counts all starts. A run that is held goes
 * on until there are three. Stop may be pressed once the first run has begun, or the first try has ended.
 */
async function run(
	answers: string[][],
	settings: Partial<INode> = {},
	options: Record<string, unknown> = {},
	stopsAfter?: 'start' | 'try',
) {
	const events = new EventEmitter();
	const [goOn, stop] = ['third start', stopsAfter ?? 'never'].map(async (event) => await once(events, event));
	const onStart = () => void events.emit(starts.flat().length === 3 ? 'third start' : 'start');
	const { target, starts } = await serveStarts(answers, onStart, goOn);
	const input = answers.map((_, item) => ({ json: { item } }));
	// How a busy service is waited for is tested by itself.
	const form = { query: '={{ String($json.item) }}', options: { waitIfBusy: 0, ...options } as never };
	const tries: Try[] = [];
	const nodes = { ...registry.nodes, [RUN_AUTOMATION]: observed(starts, tries, () => events.emit('try')) };
	const cancelWhen = stopsAfter && (stopsAfter === 'start' ? stop.then(letRead) : stop);
	const more = { input, node: { ...RETRY, ...settings }, registry: { ...registry, nodes }, cancelWhen };
	const ran = await runNode(RUN_AUTOMATION, target, form, more);
	// After Stop, n8n tries the node once more.
	while (stopsAfter && tries.length < 2) await once(events, 'try');
	return { ...ran, starts, tries };
}

const textOf = (error: NodeApiError) => JSON.stringify([error.message, error.description, error.context]);

const refused = Object.keys(ANSWERS).filter((name) => ANSWERS[name].isRefused);
const uncertain = Object.keys(ANSWERS).filter((name) => !ANSWERS[name].isRefused && !ANSWERS[name].isSuccess);

describe('with Retry On Fail at three tries', () => {
	it.each(uncertain)('a start that is %s is sent once, and its error is returned on every try', async (name) => {
		const { starts, error, tries } = await run([[name, 'completed']]);
		expect([starts, tries.length]).toEqual([[[startedThread(0)]], 3]);
		expect([error?.message, error?.description]).toMatchSnapshot();
		expect(error?.context.data).toHaveProperty('thread_id');
		const description = error!.description!;
		expect(description.match(/Thread ID: /g) ?? []).toHaveLength(description.includes(startedThread(0)) ? 1 : 0);
	});

	it.each(refused)('a start that is rejected with %s is sent again', async (name) => {
		const { items, error, starts } = await run([[name, name, 'completed']]);
		expect(starts).toEqual([['', '', startedThread(0, 2)]]);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ status: 'completed', thread_id: startedThread(0, 2) });
	});

	const four = (second: string) => ['completed', second, 'completed', 'completed'];
	const [go, split] = (['continueRegularOutput', 'continueErrorOutput'] as const).map((onError) => ({ onError }));
	it.each<[string, string[], number[], number, options?: object, settings?: Partial<INode>]>([
		['one at a time, and the second fails', four('failed completed'), [1, 1, 0, 0], 3],
		['in parallel, and the second fails', four('failed completed'), [1, 1, 1, 1], 3, { parallelRuns: 4 }],
		['in parallel, and the second is rejected once', four('429 completed'), [1, 2, 1, 1], 2, { parallelRuns: 4 }],
		['with Continue, and the first fails', ['failed completed', 'completed'], [1, 1], 3, {}, go],
		['with an error output, and the first fails', ['failed completed', 'completed'], [1, 1], 3, {}, split],
		['by a service that is busy for too long', ['busy-for-long'], [3], 3, { waitIfBusy: 5 }],
		['by a busy service that names a thread', ['429-with-thread completed'], [1], 3, { waitIfBusy: 5 }],
	])(
		'items are started as often as that is safe: %s',
		async (_name, script, counts, count, options = {}, settings = {}) => {
			const answers = script.map((names) => names.split(' '));
			const { starts, tries, error, items, errorItems } = await run(answers, settings, options as never);
			expect([starts.map(({ length }) => length), tries.length]).toEqual([counts, count]);
			const ended = [...items, ...errorItems].map(({ json }) => json.status ?? json.error);
			expect([error?.message, error?.description?.replace(/to \d+ or more/, 'to N or more'), ended]).toMatchSnapshot();
		},
	);

	it.each([
		['during a run', 'silent', 'start'],
		['between two tries', '429', 'try'],
	] as const)('nothing is started after Stop %s, although n8n tries once more', async (_when, answer, stopsAfter) => {
		const { status, tries } = await run([[answer]], { waitBetweenTries: 100 }, {}, stopsAfter);
		expect([status, tries.map(({ after }) => after.flat().length)]).toEqual(['canceled', [1, 1]]);
	});
});

/** As *Loop Over Items* does: returns the items of the next round, and in the end none. */
const rounds: INodeType = {
	description: { ...registry.nodes[RUN_AUTOMATION].description, properties: [] },
	async execute() {
		const memory = this.getContext('node') as { left?: number[][] };
		memory.left ??= structuredClone(this.getInputData()[0].json.rounds) as number[][];
		const items = memory.left.shift() ?? [];
		return [items.map((item) => ({ json: { item } }))];
	},
};

type Settings = Pick<INode, 'onError' | 'maxTries' | 'retryOnFail'>;

/** What a person sets before an execution. */
interface Chosen {
	parallelRuns: number;
	/** With the other choice, *Retry* starts what did not complete. */
	ifIncomplete: 'error' | 'partial';
	isRedacted: boolean;
}

/** Executes a loop with one or two nodes of which each starts a run per item; the numbers of the second node's items follow those of the first. */
async function executeLoop(
	target: Target,
	starts: string[][],
	itemsOfRounds: number[][],
	settings: Settings,
	{ isRedacted, ...options }: Chosen,
	retryOf?: IRun,
) {
	const place = { typeVersion: 1, position: [0, 0] as [number, number] };
	const runs = { type: RUN_AUTOMATION, ...place, credentials: CREDENTIALS, ...RETRY, ...settings };
	// How a busy service is waited for is tested by itself.
	const formOf = (query: string) => ({ query, options: { ...options, waitIfBusy: 0 } });
	const count = itemsOfRounds.flat().length;
	const nodes: INode[] = [
		{ id: '1', name: 'Start', type: 'test.start', ...place, parameters: {} },
		{ id: '2', name: 'Rounds', type: 'test.rounds', ...place, parameters: {} },
		{ id: '3', name: 'First', ...runs, parameters: formOf('={{ String($json.item) }}') },
		{ id: '4', name: 'Second', ...runs, parameters: formOf(`={{ String(${count} + $('Rounds').item.json.item) }}`) },
	].slice(0, 2 + starts.length / count);
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const connections: IConnections = Object.fromEntries(
		nodes.map(({ name }, index) => [name, to((nodes[index + 1] ?? nodes[1]).name)]),
	);
	const tries: Try[] = [];
	const ownNodes = { ...registry.nodes, [RUN_AUTOMATION]: observed(starts, tries), 'test.rounds': rounds };
	const { run: execution } = await runWorkflow(
		{ nodes, connections },
		{
			...{ registry: { ...registry, nodes: ownNodes }, credentials: storedFor(target) },
			input: [{ json: { rounds: itemsOfRounds } }],
			...{ mode: retryOf ? 'retry' : 'trigger', retryOf },
			runtimeData: { redaction: { version: 2, production: isRedacted, manual: false } },
		},
	);
	const { error, runData, lastNodeExecuted } = execution.data.resultData;
	return {
		execution,
		tries,
		error: error as NodeApiError | undefined,
		/** Of a node that failed: which of them, in all rounds. */
		failed: (runData[lastNodeExecuted!].length - 1) * (nodes.length - 2) + Number(lastNodeExecuted === 'Second'),
		told: JSON.stringify([Object.values(runData).flat(), error && textOf(error as NodeApiError)]),
	};
}

/** How many starts an error says that Retry makes; undefined if it says nothing of Retry. */
function promisedBy({ description }: NodeApiError): number | undefined {
	const RETRY_STARTS = "'Retry execution' in the 'Executions' tab of this node's workflow starts";
	const [, said] = new RegExp(`${RETRY_STARTS} (?:all )?(\\d+)(?: of \\d+)? items`).exec(description ?? '') ?? [];
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

/**
 * Executes such a loop, presses *Retry* on the latest execution as long as it fails, and compares with a model: which node is next
 * in which round, which of its items are paid for, and which of its starts are known.
 *
 * @returns how many errors said what *Retry* starts
 */
async function followChain(
	service: Awaited<ReturnType<typeof serveStarts>>,
	answers: string[][],
	itemsOfRounds: number[][],
	settings: Settings,
	chain: Chosen[],
) {
	const { target, starts } = service;
	const answerOf = (item: number, index: number) => ANSWERS[answers[item][Math.min(index, answers[item].length - 1)]];
	const count = itemsOfRounds.flat().length;
	const places = Array.from({ length: answers.length / count }, (_, node) => node * count);
	const groups = itemsOfRounds.flatMap((items) => places.map((place) => items.map((item) => place + item)));
	let [next, paid, known] = [0, new Set<number>(), starts.map(() => 0)];
	let latest: IRun | undefined;
	let promises = 0;
	for (const chosen of chain) {
		const before = starts.map(({ length }) => length);
		/** What the last start of an item in this execution came to. */
		const lastAnswer = (item: number, sent = starts[item]) =>
			sent.length > before[item] ? answerOf(item, sent.length - 1) : undefined;
		const execute = async (retryOf?: IRun) =>
			await executeLoop(target, starts, itemsOfRounds, settings, chosen, retryOf);
		const { execution, tries, error, failed, told } = await execute(latest);
		const last = error ? failed : groups.length - 1;
		for (const [group, items] of groups.entries()) {
			for (const item of items) {
				const own = [...starts[item].keys()].slice(before[item]);
				const mayStart = group >= next && group <= last && !(group === next && paid.has(item));
				if (!mayStart) expect(own).toEqual([]);
				expect(own.slice(0, -1).filter((index) => !answerOf(item, index).isRefused)).toEqual([]);
				if (own.length && !answerOf(item, own.at(-1)!).isNameless) expect(told).toContain(starts[item].at(-1));
			}
		}
		for (const one of tries) {
			const isFinal = (sent: string[], item: number) => {
				const answer = lastAnswer(item, sent);
				return answer && !answer.isRefused && !answer.isSuccess;
			};
			// Once an item has failed for good, no try starts anything.
			const isDecided = settings.onError === 'stopWorkflow' && chosen.ifIncomplete === 'error';
			if (isDecided && one.before.some(isFinal)) expect(one.after).toEqual(one.before);
			if (!one.error) continue;
			for (const item of groups[last]) {
				const threads = one.after[item].filter((_, index) => index >= known[item] && !answerOf(item, index).isNameless);
				for (const thread of threads) expect(textOf(one.error)).toContain(thread);
			}
		}
		if (!error) break;
		const isPaid = (item: number) => lastAnswer(item)?.isSuccess || (last === next && paid.has(item));
		paid = new Set(chosen.isRedacted ? [] : groups[last].filter(isPaid));
		if (chosen.isRedacted) known = starts.map(({ length }) => length);
		[next, latest] = [last, execution];
		const promised = promisedBy(error);
		const later = groups.slice(last + 1).flat().length;
		if (promised !== undefined) {
			promises++;
			expect(await startsOf(async () => await execute(execution), answers, starts)).toBe(promised + later);
		}
	}
	return promises;
}

it('whatever happens, no item is started twice unless it was rejected, or Retry asks for it', async () => {
	const answer = fc.array(fc.constantFrom(...Object.keys(ANSWERS)), { minLength: 1, maxLength: 4 });
	const settings = fc.record({
		onError: fc.constantFrom<INode['onError']>('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
		maxTries: fc.integer({ min: 2, max: 4 }),
		retryOnFail: fc.boolean(),
	});
	const chosen = fc.record<Chosen>({
		parallelRuns: fc.integer({ min: 1, max: 6 }),
		ifIncomplete: fc.constantFrom('error', 'error', 'partial'),
		isRedacted: fc.constantFrom(false, false, true),
	});
	// An execution, and as many times Retry on the latest one as it fails.
	const executions = fc.array(chosen, { minLength: 1, maxLength: 4 });
	const answersOfRound = fc.array(answer, { minLength: 1, maxLength: 8 });
	const loops = fc.record({
		answers: fc.array(answersOfRound, { minLength: 1, maxLength: 3 }),
		nodes: fc.integer({ min: 1, max: 2 }),
	});
	const once: Chosen = { parallelRuns: 1, ifIncomplete: 'error', isRedacted: false };
	/** A loop of two rounds, of which the run of the second fails first, and one Retry. */
	const failsIn = (
		onError: INode['onError'],
	): [{ answers: string[][][]; nodes: number }, Required<Settings>, Chosen[]] => [
		{ answers: [[['completed']], [['failed', 'completed']]], nodes: 1 },
		{ onError: onError!, maxTries: 3, retryOnFail: true },
		[once, once],
	];
	let promises = 0;
	await fc.assert(
		fc.asyncProperty(loops, settings, executions, async ({ answers, nodes }, node, chain) => {
			let item = 0;
			// An item that goes to the error output ends the loop.
			const used = node.onError === 'continueErrorOutput' ? answers.slice(0, 1) : answers;
			const itemsOfRounds = used.map((round) => round.map(() => item++));
			const all = Array.from({ length: node.onError === 'stopWorkflow' ? nodes : 1 }, () =>
				structuredClone(used).flat(),
			);
			const service = await serveStarts(all.flat());
			promises += await followChain(service, all.flat(), itemsOfRounds, node, chain).finally(service.stop);
		}),
		{ ...fuzz(60), examples: [failsIn('stopWorkflow'), failsIn('continueRegularOutput')] },
	);
	expect(promises).toBeGreaterThan(20);
});
