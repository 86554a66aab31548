import type { IDataObject, INode, INodeParameters, INodeProperties } from 'n8n-workflow';

import { fingerprintIn } from '../../nodes/RunAutomation/execute/batch';
import { fields } from '../../nodes/RunAutomation/form/fields';
import { limitFields, optionFields } from '../../nodes/RunAutomation/form/options';
import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { startedThread } from '../engine/thread-of';
import { serveStarts } from '../engine/serve-starts';
import { events, finish, serveStream } from '../engine/serve-stream';
import { useStoppedClock } from '../support/clock';
import { useLog } from '../support/log';
import { useReceived } from '../support/received';

const REDACTED = { redaction: { version: 2, production: true, manual: false } } as const;

/** A workflow whose executions can be retried, against a service that does with each start what is written down for it. */
async function workflowOf(script: string[], form: INodeParameters = {}, settings: Partial<INode> = {}) {
	const { target, starts } = await serveStarts(script.map((answers) => answers.split(' ')));
	const input = script.map((_, item) => ({ json: { item, company: `Company ${item}` } }));
	const options = { parallelRuns: 4, waitIfBusy: 0, ...(form.options as IDataObject) };
	const parameters = { query: '={{ String($json.item) }}', ...form, options } as INodeParameters;
	const type = form.resource ? BROWSER_AUTOMATION : RUN_AUTOMATION;
	const fixed: NodeRunOptions = { input, node: settings, mode: 'trigger' };
	const execute = async (change: INodeParameters = {}, more: NodeRunOptions = {}) =>
		await runNode(type, target, { ...parameters, ...change }, { ...fixed, ...more });
	const retry = async (before: Awaited<ReturnType<typeof execute>>, change?: INodeParameters, more?: NodeRunOptions) =>
		await execute(change, { mode: undefined, retryOf: before.run, ...more });
	/** How often each item was started. */
	const counts = () => starts.map(({ length }) => length);
	return { execute, retry, counts, options };
}

const tries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const threads = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.thread_id);

describe('Retry in the executions list', () => {
	it('starts only what failed, and returns the items of all', async () => {
		const { execute, retry, counts } = await workflowOf(['completed', 'failed completed', 'completed', 'completed']);
		const first = await execute();
		expect(first.error?.description).toMatchSnapshot();
		expect(counts()).toEqual([1, 1, 1, 1]);
		const { items, error } = await retry(first);
		expect(error).toBeUndefined();
		expect(counts()).toEqual([1, 2, 1, 1]);
		expect(threads(items)).toEqual([startedThread(0), startedThread(1, 1), startedThread(2), startedThread(3)]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
	});

	it('starts what was not started, and its own Retry starts nothing twice, either', async () => {
		const script = ['completed', 'failed failed completed', 'completed'];
		const { execute, retry, counts } = await workflowOf(script, { options: { parallelRuns: 1 } });
		const first = await execute({ options: { parallelRuns: 1 } });
		expect(first.error?.description).toMatchSnapshot();
		const second = await retry(first, { options: { parallelRuns: 4 } });
		expect(counts()).toEqual([1, 2, 1]);
		const { runs } = second.error!.context.data as { runs: unknown[] };
		expect(runs).toHaveLength(4);
		const third = await retry(second);
		expect(counts()).toEqual([1, 3, 1]);
		expect(threads(third.items)).toEqual([startedThread(0), startedThread(1, 2), startedThread(2)]);
		expect(JSON.stringify(third.run.data.executionData?.contextData)).toBe('{"node:Tested Node":{}}');
	});

	it.each<[string, INodeParameters, number[]]>([
		['another task', { query: '={{ String($json.item) + "" }}' }, [2, 2]],
		['another choice for incomplete runs', { options: { ifIncomplete: 'partial' } }, [1, 2]],
		['another limit', { options: { totalTimeout: 500, parallelRuns: 1, waitIfBusy: 1 } }, [1, 2]],
		['an option that was added and not changed', { options: { simplify: true, checkDone: true } }, [1, 2]],
	])('with %s starts what is no longer the same', async (_name, change, expected) => {
		const { execute, retry, counts } = await workflowOf(['completed', 'failed completed']);
		await retry(await execute(), change);
		expect(counts()).toEqual(expected);
	});

	it('starts what was not done, which Retry On Fail does not', async () => {
		const { execute, retry, counts } = await workflowOf(['completed', 'not-done completed'], {}, tries);
		const first = await execute();
		expect(first.error?.message).toBe('Task not done: A captcha');
		expect(first.error?.context.data).toMatchObject({ status: 'not_done', runs: [{}, { status: 'not_done' }] });
		expect(counts()).toEqual([1, 1]);
		const { items } = await retry(first);
		expect(counts()).toEqual([1, 2]);
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	});

	it('names each run once if Retry On Fail repeats it', async () => {
		const { execute, retry, counts } = await workflowOf(['failed'], {}, tries);
		const { error } = await retry(await execute());
		expect(counts()).toEqual([2]);
		expect(error?.context.data).toMatchObject({ runs: [{ status: 'failed' }, { status: 'failed' }] });
	});

	it('keeps rows, and takes the included fields from the input', async () => {
		const form = { operation: 'rows', columns: { column: [{ name: 'a', type: 'number' }] } };
		const options = { parallelRuns: 4, includeRunDetails: true, includeFields: '*' };
		const { execute, retry, counts } = await workflowOf(['rows', 'failed rows'], { ...form, options });
		const { items } = await retry(await execute());
		expect(counts()).toEqual([1, 2]);
		const run = expect.objectContaining({ status: 'completed' }) as IDataObject;
		expect(items.map(({ json }) => json)).toEqual([
			{ item: 0, company: 'Company 0', a: 1, run },
			{ item: 1, company: 'Company 1', a: 1, run },
		]);
	});

	const [begin, search] = ['automationRun start', 'web search'].map((name) => {
		const [resource, operation] = name.split(' ');
		return { resource, operation, searchQuery: '={{ String($json.item) }}' };
	});
	it.each<[string, string[], INodeParameters, number[], number[]]>([
		['a message', ['file', 'failed file'], { operation: 'raw', output: 'message' }, [1, 1], [1, 2]],
		['runs in the background', ['completed', '500 completed'], { operation: 'background' }, [1, 1], [1, 2]],
		['Start after 500', ['500'], begin, [1], [2]],
		['Start that was rejected', ['429 completed'], begin, [1], [2]],
		['Start for all items', ['completed', '400 completed', 'completed'], begin, [1, 1, 1], [1, 2, 1]],
		['a search for all items', ['done', '429 done'], search, [1, 1], [2, 2]],
	])('of %s starts what is missing', async (_name, script, form, before, after) => {
		const { execute, retry, counts } = await workflowOf(script, form);
		const first = await execute();
		expect(counts()).toEqual(before);
		const { items, error } = await retry(first);
		expect(counts()).toEqual(after);
		const ended = items.map(({ json }) => json.status ?? json);
		expect([error?.message, error?.description, ended]).toMatchSnapshot();
	});

	const LOST = /Results of 1 completed item are lost/;
	const SOME = /'Retry execution' in .* starts 1 of 2 items in new billed runs/;
	const notSaved = { saveDataErrorExecution: 'none' } as const;
	it.each<[string, NodeRunOptions, RegExp]>([
		['everything under a policy of redaction', { runtimeData: REDACTED }, /starts all 2 items in new billed runs/],
		['nothing if failed executions are not saved', { workflowSettings: notSaved }, LOST],
		['some in a manual execution', { mode: 'manual', workflowSettings: notSaved }, SOME],
		['nothing in one', { mode: 'manual', workflowSettings: { ...notSaved, saveManualExecutions: false } }, LOST],
		['some in a sub-workflow', { mode: 'integrated' }, SOME],
	])('is promised to start what it does: %s', async (_name, more, promise) => {
		const { execute, retry, counts } = await workflowOf(['completed', 'failed completed']);
		const first = await execute({}, more);
		expect(first.error?.description).toMatch(promise);
		if (promise === LOST) return;
		await retry(first);
		expect(counts()).toEqual(promise === SOME ? [1, 2] : [2, 2]);
		if (promise !== SOME)
			expect(JSON.stringify(first.run.data.executionData?.contextData)).toBe('{"node:Tested Node":{}}');
	});
});

const asks = (parameters: INodeParameters) =>
	fingerprintIn({ parameters } as INode, { automationUrl: 'https://example.com', files: [] });

it('every field and option of the form is a part of the question, but those that decide how long, how often and who sees it', () => {
	const namesOf = (form: INodeProperties[]) => form.filter(({ type }) => type !== 'notice').map(({ name }) => name);
	expect(namesOf(fields).filter((name) => asks({ [name]: { any: 1 } }) === asks({}))).toEqual(['options']);
	const others = namesOf(optionFields).filter((name) => asks({ options: { [name]: 1 } }) === asks({}));
	const limits = namesOf(limitFields);
	const shown = ['downloadLinks', 'includeFields', 'includeRunDetails', 'live', 'simplify'];
	expect(others.toSorted()).toEqual([...limits, ...shown, 'ifIncomplete', 'ifRowsInvalid'].toSorted());
	expect(limits).toContain('waitIfBusy');
});

it('an item with another URL or file asks for something else, and one with another credential for the same', () => {
	const asksWith = (id: string, address: string, files: unknown[]) => {
		const node: Partial<INode> = { parameters: {}, credentials: { browserAutomationApi: { id, name: '' } } };
		return fingerprintIn(node as INode, {
			automationUrl: address,
			files: files.map((name) => ({ name, file: { data: '' } })) as never,
		});
	};
	const asked = [asksWith('1', 'https://a', []), asksWith('1', 'https://b', []), asksWith('1', 'https://a', ['file'])];
	expect(new Set(asked).size).toBe(3);
	expect(asksWith('2', 'https://a', [])).toBe(asked[0]);
});

describe('a busy service', () => {
	const clock = useStoppedClock();

	it('is waited for, by all items together, and each start and rejection is logged', async () => {
		const { execute, counts } = await workflowOf(['busy completed', 'busy completed', 'completed']);
		const log = useLog();
		const begin = performance.now();
		const { items } = await clock.passUntil(execute({ options: { parallelRuns: 3, waitIfBusy: 60 } }));
		expect(performance.now() - begin).toBeGreaterThan(1000);
		const again = [0, 1].flatMap((item) => [`rejected ${item}`, `requested ${item}`]);
		const each = ['requested', 'started'].flatMap((what) => [0, 1, 2].map((item) => `${what} ${item}`));
		expect(log.lines().toSorted()).toEqual([...each, ...again].toSorted());
		expect(counts()).toEqual([2, 2, 1]);
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed', 'completed']);
	});

	it('is waited for as long as a run is in progress', async () => {
		const begin = performance.now();
		const { target } = await serveStream((query, response) => {
			if (query === '0') {
				response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
				return void isInProgress.then(() => response.end(events(finish)));
			}
			if (performance.now() - begin > 200_000) return (endFirst(), events(finish));
			return void response.writeHead(429, { 'retry-after': '30' }).end('{}');
		});
		let endFirst = () => {};
		const isInProgress = new Promise<void>((resolve) => (endFirst = resolve));
		const options = { parallelRuns: 2, waitIfBusy: 60, idleTimeout: 0 };
		const form = { query: '={{ String($json.item) }}', options };
		const input = [0, 1].map((item) => ({ json: { item } }));
		const { items, error } = await clock.passUntil(runNode(RUN_AUTOMATION, target, form, { input }));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	});

	it('does not keep a person waiting who stops the execution', async () => {
		const { execute, counts } = await workflowOf(['busy-for-long completed']);
		const { status } = await execute({ options: { waitIfBusy: 600 } }, { cancelWhen: clock.waitOf(50) });
		expect(status).toBe('canceled');
		// The watchdog of the start that was refused sleeps for up to a second.
		await clock.pass(1);
		expect(jest.getTimerCount()).toBe(0);
		expect(counts()).toEqual([1]);
	});
});

describe('the time limit of the workflow', () => {
	const LIMIT = "The workflow is about to reach its time limit ('Timeout Workflow' in its settings)";
	const workflowSettings = { executionTimeout: 3 };
	const clock = useStoppedClock();
	const onReceived = useReceived();

	it('ends the runs before it, and starts none behind it, also with Retry On Fail', async () => {
		const { execute, counts } = await workflowOf(['silent', 'completed'], {}, tries);
		void clock.waitOf(1).then(async () => await clock.pass(0.001));
		const runtimeData = { establishedAt: Date.now() - 1700 };
		onReceived(() => void clock.pass(400));
		const { error } = await execute({ options: { parallelRuns: 1 } }, { workflowSettings, runtimeData });
		expect(counts()).toEqual([1, 0]);
		expect(error?.message).toBe(LIMIT);
		expect(error?.description).toMatch(/^Find the thread .* starts all 2 items in new billed runs, although 1 run may/);
		expect(error?.context.data).toMatchObject({ status: 'timed_out', thread_id: startedThread(0) });
	});

	it.each([2500, 2800])('starts nothing that could not end: after %d of 2700 ms', async (passed) => {
		const { execute, counts } = await workflowOf(['completed']);
		const runtimeData = { establishedAt: Date.now() - passed };
		const { error } = await execute({}, { workflowSettings, runtimeData });
		expect(counts()).toEqual([0]);
		expect(error?.description).toContain('No run was started');
	});
});
