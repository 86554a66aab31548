import { Conversation } from '../../nodes/RunAutomation/result/conversation';
import type { RunRequest } from '../../nodes/RunAutomation/form/run-request';
import type { RowsInReply } from '../../nodes/RunAutomation/reply/read-rows';
import type { Reply } from '../../nodes/RunAutomation/reply/reply';

const problems = ['Row 1: "a" must be a number'];
const valid: RowsInReply = { rows: [{ a: 1 }], problems: [], isEarlier: false, isUsable: true };
const invalid: RowsInReply = { ...valid, rows: [], problems };
const asks = { maxCorrections: 2, rows: { onInvalid: 'correction' } } as RunRequest;

/** The correction that a conversation sends next, whose latest reply has rows. */
function next(status: string, rows: RowsInReply, { request = asks, corrections = 0, more = {} } = {}) {
	const latest = { run: { status }, rows, threadId: 'thread', ...more } as Reply;
	return Object.assign(new Conversation(), { latest, corrections }).nextCorrection(request);
}
const correction = { threadId: 'thread', problems };

it('a correction follows if rows are invalid, the run completed, and the form allows it', () => {
	expect(next('completed', invalid)).toEqual(correction);
	expect(next('completed', valid)).toBeUndefined();
	expect(next('completed', { ...invalid, cause: 'digits' })).toBeUndefined();
	expect(next('not_done', invalid)).toBeUndefined();
	expect(next('interrupted', invalid)).toBeUndefined();
	const request = { ...asks, rows: { onInvalid: 'error' } as RunRequest['rows'] };
	expect(next('completed', invalid, { request })).toBeUndefined();
});

it('as often as Max Corrections says, in a known thread', () => {
	expect(next('completed', invalid, { corrections: 1 })).toEqual(correction);
	expect(next('completed', invalid, { corrections: 2 })).toBeUndefined();
	expect(next('completed', invalid, { more: { threadId: undefined } })).toBeUndefined();
});
