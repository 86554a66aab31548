import type { RunRequest } from '../../nodes/RunAutomation/parameters/run-request';
import { hasUnknownOutcome, mayResend, nextFollowUp, pauseBefore } from '../../nodes/RunAutomation/follow-ups';
import type { Replies } from '../../nodes/RunAutomation/reply';
import { startFailure } from '../../nodes/starts/response';
import type { ReadRows } from '../../nodes/RunAutomation/rows/read-rows';

const rows: ReadRows = { rows: [{ a: 1 }], problems: [], isEarlier: false, isUsable: true };
const invalidRows: ReadRows = { ...rows, rows: [], problems: ['Row 1: "a" must be a number'] };
const settings = { continuesLostRuns: true, followUps: 2, rows: { onInvalid: 'correction' } } as RunRequest;
const none = { continuation: 0, correction: 0, maybe: 0 };
const repliesOf = (status: string, more: object = {}, read = rows) =>
	({
		result: { status },
		latest: { rows: read },
		threadId: 'thread',
		connectionLost: false,
		...more,
	}) as never as Replies;
const completed = repliesOf('completed');
const lost = repliesOf('interrupted', { connectionLost: true });
const invalid = repliesOf('completed', {}, invalidRows);
const [continuation, correction] = ['continuation', 'correction'].map((kind) => ({ kind, threadId: 'thread' }));

describe('a follow-up starts', () => {
	it('if the connection was lost, and the form allows it', () => {
		expect(nextFollowUp(lost, settings, none, false)).toEqual(continuation);
		expect(nextFollowUp(lost, { ...settings, continuesLostRuns: false }, none, false)).toBeUndefined();
		expect(nextFollowUp(repliesOf('interrupted'), settings, none, false)).toBeUndefined();
		const lostAndInvalid = repliesOf('interrupted', { connectionLost: true }, invalidRows);
		expect(nextFollowUp(lostAndInvalid, settings, none, false)).toEqual(continuation);
	});

	it('if rows are invalid, the run completed, and the form allows it', () => {
		expect(nextFollowUp(invalid, { ...settings, continuesLostRuns: false }, none, false)).toEqual(correction);
		expect(
			nextFollowUp(invalid, { ...settings, rows: { onInvalid: 'error' } as RunRequest['rows'] }, none, false),
		).toBeUndefined();
		expect(nextFollowUp(completed, settings, none, false)).toBeUndefined();
		const digits = repliesOf('completed', {}, { ...invalidRows, cause: 'digits' });
		expect(nextFollowUp(digits, settings, none, false)).toBeUndefined();
		expect(nextFollowUp(repliesOf('not_done', {}, invalidRows), settings, none, false)).toBeUndefined();
		const failed = repliesOf('completed', { failure: { reason: 'Not now', advice: 'Wait' } }, invalidRows);
		expect(nextFollowUp(failed, settings, none, false)).toBeUndefined();
	});

	it('as often as Max Follow-Ups says, in a known thread, and once for a lost connection as a tool', () => {
		expect(nextFollowUp(lost, settings, { ...none, continuation: 1 }, false)).toEqual(continuation);
		expect(nextFollowUp(lost, settings, { ...none, continuation: 1, correction: 1 }, false)).toBeUndefined();
		expect(nextFollowUp(lost, settings, { ...none, continuation: 1, maybe: 1 }, false)).toBeUndefined();
		const unknown = repliesOf('interrupted', { connectionLost: true, threadId: undefined });
		expect(nextFollowUp(unknown, settings, none, false)).toBeUndefined();
		expect(nextFollowUp(lost, settings, { ...none, correction: 1 }, true)).toEqual(continuation);
		expect(nextFollowUp(lost, settings, { ...none, continuation: 1 }, true)).toBeUndefined();
		expect(nextFollowUp(lost, settings, { ...none, maybe: 1 }, true)).toBeUndefined();
	});
});

it('a follow-up that had no effect may be sent again, and one without a response may have started', () => {
	const failure = { reason: 'Not now', advice: 'Wait' };
	const run = { thread_id: null, status: 'interrupted' };
	const mayResendAfter = (statusCode: number) =>
		mayResend(startFailure({ statusCode, headers: {}, body: '' }, 'thread', true));
	expect([409, 423, 425].map(mayResendAfter)).toEqual([true, true, true]);
	expect(mayResend({ ...failure, cause: 'unsent' })).toBe(true);
	expect([401, 404, 429, 502].some(mayResendAfter)).toBe(false);
	expect([hasUnknownOutcome({ ...failure, run }), hasUnknownOutcome(failure)]).toEqual([true, false]);
	const timedOut = { ...run, status: 'timed_out' };
	expect(hasUnknownOutcome({ ...failure, run: timedOut })).toBe(false);
	expect(hasUnknownOutcome({ ...failure, run: timedOut, cause: 'silent' })).toBe(true);
});

it('the pauses before it grow to a minute, and last a minute after a proxy has said that the service is away', () => {
	const failure = { reason: 'Away', advice: 'Wait' };
	const after = (httpCode: string) => pauseBefore(0, { ...failure, httpCode });
	expect(['500', '502', '503', '504', '409'].map(after)).toEqual([60_000, 60_000, 60_000, 60_000, 5000]);
	expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => pauseBefore(attempt))).toEqual([
		5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000,
	]);
});
