/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { events, textChunks } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { usePauses } from '../support/clock';
import { letRead } from '../support/let-read';
import { useLog } from '../support/log';
import { serve } from '../support/serve';

usePauses();

type Start = { query: string; thread_id?: string };

/** What the service does with a start. */
type Respond = (response: ServerResponse, start: Start) => unknown;

const headers = (thread: string | null) => ({
	'content-type': 'text/event-stream',
	...(thread !== null && { 'x-thread-id': thread }),
});
const cut =
	(text: string, thread: string | null = THREAD, before: object[] = []): Respond =>
	(response) => {
		response.writeHead(200, headers(thread));
		response.write(events(...before, ...textChunks(text)), () => void letRead().then(() => response.destroy()));
	};
const status =
	(code: number, body: unknown = { message: 'Out of order' }, thread?: string, more = {}): Respond =>
	(response) => {
		response.writeHead(code, { ...(thread !== undefined && { 'x-thread-id': thread }), ...more });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};

const [ONE, OTHER] = ['8f14e45f-ceea-467f-9575-6f4b2a1f0c3d', '1b4e28ba-2fa1-41d2-883f-0016d3cca427'];
const CONTINUE_ON_ERROR = { node: { onError: 'continueRegularOutput' } } as const;
/** Time passes by hand: no limit may end a run meanwhile. */
const NO_LIMITS = { idleTimeout: 0, totalTimeout: 0 };

/** A workflow whose service responds to each start in turn. */
async function workflow(script: Respond[], form: INodeParameters = {}) {
	const starts: Array<Start & { at: number }> = [];
	const server = await serve((_request, response, body) => {
		const start = JSON.parse(body) as Start;
		starts.push({ ...start, at: performance.now() });
		void script[Math.min(starts.length, script.length) - 1](response, start);
	});
	const execute = async (options: IDataObject = {}, more: NodeRunOptions = {}) => {
		const parameters = { query: 'Do it', ...form, options: { ...NO_LIMITS, ...options } } as INodeParameters;
		return await runNode(RUN_AUTOMATION, server.target, parameters, { mode: 'trigger', ...more });
	};
	type Ran = Awaited<ReturnType<typeof execute>>;
	const retry = async (before: Ran, options: IDataObject = {}) =>
		await execute(options, { mode: undefined, retryOf: before.run });
	return { execute, retry, starts };
}

const dataOf = ({ error }: { error?: { context: IDataObject } }) => error?.context.data as IDataObject;

it('a run that continued after an error, and whose connection is lost, may still be in progress', async () => {
	const glitch = { type: 'error', errorText: 'A glitch' };
	const { execute, retry } = await workflow([cut('More', ONE, [glitch]), status(401), cut('More', ONE, [glitch])]);
	const ran = await execute();
	const { error } = ran;
	expect(error).toMatchObject({
		message: 'Run failed: A glitch',
		context: { data: { status: 'failed', text: 'More' } },
	});
	expect(error?.description).toMatch(/^Find the thread in the service's web console first: the run may still be in/);
	const again = await retry(ran);
	expect(again.error?.description).toMatch(/^No further run was started, but an earlier run may still be in progress/);
	const { items } = await execute({}, { node: { type: `${RUN_AUTOMATION}Tool` } });
	expect(items[0].json.error).toMatch(/A glitch\. The run may still be in progress\. Tell the user/);
});

it.each<[string, INodeParameters]>([
	[RUN_AUTOMATION, { operation: 'background', query: 'a' }],
	[BROWSER_AUTOMATION, { resource: 'automationRun', operation: 'start', query: 'a' }],
])('a start is logged before it is sent, because the process may end meanwhile (%s)', async (type, form) => {
	const log = useLog();
	let before: string[] = [];
	const { target } = await serve((_, response) => {
		before = log.lines();
		response.writeHead(202, headers(ONE)).end('{}');
	});
	await runNode(type, target, form);
	expect(before).toEqual(['requested 0']);
});

describe('a further run in a thread', () => {
	it.each([409, 423, 425])('that responds with %d to a thread of the form was not started', async (code) => {
		const log = useLog();
		const { execute, starts } = await workflow([status(code)], { threadId: ONE });
		const { items } = await execute({}, CONTINUE_ON_ERROR);
		expect(starts).toHaveLength(1);
		expect(log.lines()).toEqual(['rejected 0', 'requested 0']);
		const advice =
			"No run was started. Find the thread in the service's web console first: the earlier run may still be in progress";
		expect(items[0].json.details).toEqual({ advice, run_started: 'no', http_status: code });
	});

	it.each<[string, Respond, string | undefined]>([
		['500', status(500), ONE],
		['500 that names another', status(500, {}, OTHER), OTHER],
		['401, as no run', status(401), undefined],
		['a reset', (response) => response.destroy(), ONE],
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
	const { execute, starts } = await workflow([status(503, page)]);
	const input = Array.from({ length: 30 }, () => ({ json: {} }));
	const { items } = await execute({}, { ...CONTINUE_ON_ERROR, input });
	const pauses = starts.slice(1).map(({ at }, index) => at - starts[index].at);
	// The last is sent when the wait of 120 seconds is over.
	expect(pauses).toEqual(Array(24).fill(5000));
	const started = items.map((item) => (item.json.details as IDataObject).run_started);
	expect(started).toEqual(items.map((_, index) => (index < starts.length ? 'maybe' : 'no')));
});
