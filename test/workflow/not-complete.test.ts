import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { events, textChunks } from '../engine/serve-stream';
import { answering, type Given } from '../support/answering';
import { usePauses } from '../support/clock';
import { useLog } from '../support/log';

usePauses();

const [ONE, OTHER] = ['8f14e45f-ceea-467f-9575-6f4b2a1f0c3d', '1b4e28ba-2fa1-41d2-883f-0016d3cca427'];
const named = (thread: string) => ({ 'x-thread-id': thread });
const CONTINUE_ON_ERROR = { node: { onError: 'continueRegularOutput' } } as const;
/** Time passes by hand: no limit may end a run meanwhile. */
const NO_LIMITS = { idleTimeout: 0, totalTimeout: 0 };

/** A workflow whose service responds to each start in turn. */
async function workflow(script: Given[], form: INodeParameters = {}) {
	const service = await answering(...script);
	const parameters = { query: 'Do it', ...form, options: NO_LIMITS };
	const execute = async (more: NodeRunOptions = {}) =>
		await runNode(RUN_AUTOMATION, service, parameters, { mode: 'trigger', ...more });
	return { execute, starts: service.requests };
}

const dataOf = ({ error }: { error?: { context: IDataObject } }) => error?.context.data as IDataObject;

it('a run that continued after an error, and whose connection is lost, may still be in progress', async () => {
	const glitch = { type: 'error', errorText: 'A glitch' };
	const stream = { ...named(ONE), 'content-type': 'text/event-stream' };
	const lost: Given = [200, events(glitch, ...textChunks('More')), stream, 'cut'];
	const { execute } = await workflow([lost, [401], lost]);
	const ran = await execute();
	const { error } = ran;
	expect(error).toMatchObject({
		message: 'Run failed: A glitch',
		context: { data: { status: 'failed', text: 'More' } },
	});
	expect(error?.description).toMatch(/^Find the thread in the service's web console first: the run may still be in/);
	const again = await execute({ mode: undefined, retryOf: ran.run });
	expect(again.error?.description).toMatch(/^No further run was started, but an earlier run may still be in progress/);
	const { items } = await execute({ node: { type: `${RUN_AUTOMATION}Tool` } });
	expect(items[0].json.error).toMatch(/A glitch\. The run may still be in progress\. Tell the user/);
});

it.each<[string, INodeParameters]>([
	[RUN_AUTOMATION, { operation: 'background', query: 'a' }],
	[BROWSER_AUTOMATION, { resource: 'automationRun', operation: 'start', query: 'a' }],
])('a start is logged before it is sent, because the process may end meanwhile (%s)', async (type, form) => {
	const log = useLog();
	let before: string[] = [];
	const service = await answering(() => ((before = log.lines()), [202, {}, named(ONE)]));
	await runNode(type, service, form);
	expect(before).toEqual(['requested 0']);
});

describe('a further run in a thread', () => {
	it.each([409, 423, 425])('that responds with %d to a thread of the form was not started', async (code) => {
		const log = useLog();
		const { execute, starts } = await workflow([[code]], { threadId: ONE });
		const { items } = await execute(CONTINUE_ON_ERROR);
		expect(starts).toHaveLength(1);
		expect(log.lines()).toEqual(['rejected 0', 'requested 0']);
		const advice =
			"No run was started. Find the thread in the service's web console first: the earlier run may still be in progress";
		expect(items[0].json.details).toEqual({ advice, run_started: 'no', http_status: code });
	});

	it.each<[string, Given, string | undefined]>([
		['500', [500], ONE],
		['500 that names another', [500, {}, named(OTHER)], OTHER],
		['401, as no run', [401], undefined],
		['a reset', 'reset', ONE],
	])('is named in the error after %s, but not as started', async (_name, respond, thread) => {
		const log = useLog();
		const { execute } = await workflow([respond], { threadId: ONE });
		expect(dataOf(await execute())?.thread_id).toBe(thread);
		const then = thread === OTHER ? ['started 0'] : thread === undefined ? ['rejected 0'] : [];
		expect(log.lines()).toEqual(['requested 0', ...then].toSorted());
	});
});

it('after a 503 to a start, other items wait for it, it is not sent again, and at last no other is sent', async () => {
	const page = '<html><title>503 Backend fetch failed</title></html>';
	const { execute, starts } = await workflow([[503, page]]);
	const input = Array.from({ length: 30 }, () => ({ json: {} }));
	const { items } = await execute({ ...CONTINUE_ON_ERROR, input });
	const pauses = starts.slice(1).map(({ at }, index) => at - starts[index].at);
	// The last is sent when the wait of 120 seconds is over.
	expect(pauses).toEqual(Array(24).fill(5000));
	const started = items.map((item) => (item.json.details as IDataObject).run_started);
	expect(started).toEqual(items.map((_, index) => (index < starts.length ? 'maybe' : 'no')));
});
