import {
	followUpReason,
	hasWholeRows,
	mayBeRunning,
	maySendAgain,
	pauseBefore,
} from '../../nodes/RunAutomation/follow-ups';
import type { ReadRows } from '../../nodes/RunAutomation/rows/read-rows';

const rows: ReadRows = { rows: [{ a: 1 }], problems: [], isEarlier: false, isUsable: true };
const misfit: ReadRows = { ...rows, rows: [], problems: ['Row 1: "a" must be a number'] };
const asks = { asksInThread: true, followUps: 2, rows: { onMisfit: 'askAgain' as const } };
const none = { lost: 0, misfit: 0 };
const completed = { status: 'completed' as const, threadId: 'thread', isLost: false };
const lost = { status: 'interrupted' as const, threadId: 'thread', isLost: true };

describe('a follow-up is started', () => {
	it('if the connection was lost, and the form says so', () => {
		expect(followUpReason(lost, asks, none, false)).toBe('lost');
		expect(followUpReason(lost, { ...asks, asksInThread: false }, none, false)).toBeUndefined();
		expect(followUpReason({ ...lost, isLost: false }, asks, none, false)).toBeUndefined();
		expect(followUpReason({ ...lost, read: misfit }, asks, none, false)).toBe('lost');
	});

	it('if rows do not fit, the run completed, and the form says so', () => {
		const read = { ...completed, read: misfit };
		expect(followUpReason(read, { ...asks, asksInThread: false }, none, false)).toBe('misfit');
		expect(followUpReason(read, { ...asks, rows: { onMisfit: 'error' } }, none, false)).toBeUndefined();
		expect(followUpReason({ ...completed, read: rows }, asks, none, false)).toBeUndefined();
		expect(followUpReason({ ...completed, read: { ...misfit, cause: 'digits' } }, asks, none, false)).toBeUndefined();
		expect(followUpReason({ ...read, status: 'not_done' }, asks, none, false)).toBeUndefined();
	});

	it('as often as Max Follow-Ups says, in a thread that is known, and once for a lost connection as a tool', () => {
		expect(followUpReason(lost, asks, { lost: 1, misfit: 0 }, false)).toBe('lost');
		expect(followUpReason(lost, asks, { lost: 1, misfit: 1 }, false)).toBeUndefined();
		expect(followUpReason({ ...lost, threadId: null }, asks, none, false)).toBeUndefined();
		expect(followUpReason(lost, asks, { lost: 0, misfit: 1 }, true)).toBe('lost');
		expect(followUpReason(lost, asks, { lost: 1, misfit: 0 }, true)).toBeUndefined();
	});
});

it('rows are whole only if all of them fit, and no other text or list may follow', () => {
	expect(hasWholeRows(rows)).toBe(true);
	expect(hasWholeRows({ ...rows, rows: [] })).toBe(false);
	expect(hasWholeRows(misfit)).toBe(false);
	expect(hasWholeRows({ ...rows, isEarlier: true })).toBe(false);
	expect(hasWholeRows({ ...rows, leftOut: 'Rows of the reply that are not returned' })).toBe(false);
});

it('a follow-up that had no effect may be sent again, and one without a response may have started', () => {
	const failure = { reason: 'Not now', advice: 'Wait' };
	const run = { thread_id: null, status: 'interrupted' };
	expect(['409', '423', '425'].map((httpCode) => maySendAgain({ ...failure, httpCode }))).toEqual([true, true, true]);
	expect(maySendAgain({ ...failure, isUnsent: true })).toBe(true);
	expect(['401', '404', '429', '502'].some((httpCode) => maySendAgain({ ...failure, httpCode }))).toBe(false);
	expect([mayBeRunning({ ...failure, run }), mayBeRunning(failure)]).toEqual([true, false]);
	const timedOut = { ...run, status: 'timed_out' };
	expect(mayBeRunning({ ...failure, run: timedOut })).toBe(false);
	expect(mayBeRunning({ ...failure, run: timedOut, isIdle: true })).toBe(true);
});

it('the pauses before it grow to a minute', () => {
	expect([0, 1, 2, 3, 4, 5, 50].map(pauseBefore)).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
});
