import { followUpReason, hasUnknownOutcome, mayResend, pauseBefore } from '../../nodes/RunAutomation/follow-ups';
import type { ReadRows } from '../../nodes/RunAutomation/rows/read-rows';

const rows: ReadRows = { rows: [{ a: 1 }], problems: [], isEarlier: false, isUsable: true };
const invalidRows: ReadRows = { ...rows, rows: [], problems: ['Row 1: "a" must be a number'] };
const asks = { continueInThread: true, followUps: 2, rows: { onInvalid: 'askAgain' as const } };
const none = { lost: 0, invalid: 0, maybe: 0 };
const completed = { status: 'completed' as const, threadId: 'thread', connectionLost: false };
const lost = { status: 'interrupted' as const, threadId: 'thread', connectionLost: true };

describe('a follow-up is started', () => {
	it('if the connection was lost, and the form says so', () => {
		expect(followUpReason(lost, asks, none, false)).toBe('lost');
		expect(followUpReason(lost, { ...asks, continueInThread: false }, none, false)).toBeUndefined();
		expect(followUpReason({ ...lost, connectionLost: false }, asks, none, false)).toBeUndefined();
		expect(followUpReason({ ...lost, rows: invalidRows }, asks, none, false)).toBe('lost');
	});

	it('if rows do not fit, the run completed, and the form says so', () => {
		const read = { ...completed, rows: invalidRows };
		expect(followUpReason(read, { ...asks, continueInThread: false }, none, false)).toBe('invalid');
		expect(followUpReason(read, { ...asks, rows: { onInvalid: 'error' } }, none, false)).toBeUndefined();
		expect(followUpReason({ ...completed, rows }, asks, none, false)).toBeUndefined();
		expect(
			followUpReason({ ...completed, rows: { ...invalidRows, cause: 'digits' } }, asks, none, false),
		).toBeUndefined();
		expect(followUpReason({ ...read, status: 'not_done' }, asks, none, false)).toBeUndefined();
	});

	it('as often as Follow-Ups says, in a thread that is known, and once for a lost connection as a tool', () => {
		expect(followUpReason(lost, asks, { lost: 1, invalid: 0, maybe: 0 }, false)).toBe('lost');
		expect(followUpReason(lost, asks, { lost: 1, invalid: 1, maybe: 0 }, false)).toBeUndefined();
		expect(followUpReason({ ...lost, threadId: null }, asks, none, false)).toBeUndefined();
		expect(followUpReason(lost, asks, { lost: 0, invalid: 1, maybe: 0 }, true)).toBe('lost');
		expect(followUpReason(lost, asks, { lost: 1, invalid: 0, maybe: 0 }, true)).toBeUndefined();
	});
});

it('a follow-up that had no effect may be sent again, and one without a response may have started', () => {
	const failure = { reason: 'Not now', advice: 'Wait' };
	const run = { thread_id: null, status: 'interrupted' };
	expect(['409', '423', '425'].map((httpCode) => mayResend({ ...failure, effect: 'none', httpCode }))).toEqual([
		true,
		true,
		true,
	]);
	expect(mayResend({ ...failure, isUnsent: true })).toBe(true);
	expect(['401', '404', '429', '502'].some((httpCode) => mayResend({ ...failure, effect: 'none', httpCode }))).toBe(
		false,
	);
	expect([hasUnknownOutcome({ ...failure, run }), hasUnknownOutcome(failure)]).toEqual([true, false]);
	const timedOut = { ...run, status: 'timed_out' };
	expect(hasUnknownOutcome({ ...failure, run: timedOut })).toBe(false);
	expect(hasUnknownOutcome({ ...failure, run: timedOut, isIdle: true })).toBe(true);
});

it('the pauses before it grow to a minute, and last a minute after a proxy has said that the service is away', () => {
	const failure = { reason: 'Away', advice: 'Wait' };
	const after = (httpCode: string) => pauseBefore(0, { ...failure, httpCode });
	expect(['500', '502', '503', '504', '409'].map(after)).toEqual([60_000, 60_000, 60_000, 60_000, 5000]);
	expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => pauseBefore(attempt))).toEqual([
		5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000,
	]);
});
