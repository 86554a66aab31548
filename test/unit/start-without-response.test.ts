import { NodeApiError } from 'n8n-workflow';

import { NO_TIME_LEFT, noStartFailure, possibleRun, startFailure } from '../../nodes/shared/start/start-response';
import { Ledger, recordFailedStart, type StartingItem } from '../../nodes/shared/start/ledger';
import { executionOf } from '../support/execution';

const [THREAD, OTHER] = ['aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb', 'cccccccc-1111-4222-8333-bbbbbbbbbbbb'];
const { node } = executionOf();

const errorWith = (cause: object) => Object.assign(new NodeApiError(node, {}, { message: 'x' }), { cause });
const unsent = errorWith({ code: 'ECONNREFUSED', syscall: 'connect' });
const sent = errorWith({ code: 'ECONNRESET', syscall: 'read' });

const LOOK = /^The run may have started\. Look for it/;
const REACH = /^Check 'Automation URL' in the credential, and that n8n can reach it$/;

it.each([
	['reports the limit', { expiredReason: 'Too long', isStopped: false }, 'Too long', 'timed_out'],
	['reports the limit after a stop', { expiredReason: 'Too long', isStopped: true }, 'Too long', 'timed_out'],
	[
		'reports the stop',
		{ expiredReason: undefined, isStopped: true },
		'The execution was stopped before the service responded',
		'interrupted',
	],
	[
		'reports the connection',
		{ expiredReason: undefined, isStopped: false },
		'No response from the service: connection reset',
		'interrupted',
	],
])('%s if a start has no response, and that a run may have started', (_what, end, reason, status) => {
	for (const thread of [undefined, THREAD]) {
		expect(noStartFailure(end, sent, thread)).toMatchObject({
			...{ reason, effect: 'maybe', advice: expect.stringMatching(LOOK) },
			run: { thread_id: thread ?? null, status },
		});
	}
	const failure = noStartFailure(end, unsent, THREAD);
	expect(failure).toMatchObject({ effect: 'none', cause: 'noConnection', advice: expect.stringMatching(REACH) });
	expect(failure.run).toBeUndefined();
});

it('keeps the thread of a start that ended in an unexpected error', () => {
	const run = { thread_id: THREAD, status: 'interrupted' };
	expect(possibleRun(THREAD)).toEqual({ effect: 'maybe', advice: expect.stringMatching(LOOK), run });
	expect(possibleRun().run.thread_id).toBeNull();
});

it('has started nothing if no time was left, and says how to get more', () =>
	expect(NO_TIME_LEFT.advice).toMatch(/^Raise 'Timeout After' in the workflow settings, or send fewer items/));

it('keeps a new thread, whatever the status, and says that the thread is in use', () => {
	const judge = (statusCode: number, id?: string) =>
		startFailure({ statusCode, headers: { 'x-thread-id': id }, body: '' }, THREAD);
	for (const statusCode of [400, 401, 599]) {
		expect(judge(statusCode, OTHER)).toMatchObject({ effect: 'run', advice: expect.stringMatching(LOOK) });
	}
	expect(judge(409)).toMatchObject({ effect: 'none', cause: 'threadInUse' });
	// A quote belongs to a thread only around it.
	expect(judge(500, `${OTHER.slice(0, 8)}"${OTHER.slice(8)}`).run?.thread_id).toBe(THREAD);
});

it.each([
	['nothing', undefined, { thread_id: THREAD, status: 'interrupted' }],
	['a status', { status: 'failed' }, { thread_id: THREAD, status: 'failed' }],
	['another thread', { thread_id: OTHER }, { thread_id: OTHER, status: 'interrupted' }],
])('lists what a failure knows of its run: %s', (_what, run, expected) => {
	const ledger = new Ledger();
	ledger.start = { item: 0, status: 'interrupted', thread_id: THREAD, effect: 'maybe' };
	const item = { context: {}, ledger, index: 0, mask: (text: string) => text } as unknown as StartingItem;
	recordFailedStart(item, { reason: 'x', advice: 'y', effect: 'maybe', run } as never);
	expect(ledger.starts).toEqual([{ item: 0, effect: 'maybe', ...expected }]);
});
