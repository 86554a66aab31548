import { correctionAfter } from '../../nodes/RunAutomation/conversation';
import type { RunRequest } from '../../nodes/RunAutomation/form/run-request';
import type { Reply } from '../../nodes/RunAutomation/reply/reply';
import type { ReadRows } from '../../nodes/RunAutomation/reply/read-rows';

const problems = ['Row 1: "a" must be a number'];
const valid: ReadRows = { rows: [{ a: 1 }], problems: [], isEarlier: false, isUsable: true };
const invalid: ReadRows = { ...valid, rows: [], problems };
const replyOf = (status: string, rows: ReadRows, more: Partial<Reply> = {}) =>
	({ run: { status }, rows, threadId: 'thread', ...more }) as Reply;
const asks = { maxCorrections: 2, rows: { onInvalid: 'correction' } } as RunRequest;
const correction = { kind: 'correction', threadId: 'thread', problems };

it('a correction follows if rows are invalid, the run completed, and the form allows it', () => {
	expect(correctionAfter(replyOf('completed', invalid), asks, 0)).toEqual(correction);
	expect(correctionAfter(replyOf('completed', valid), asks, 0)).toBeUndefined();
	expect(correctionAfter(replyOf('completed', { ...invalid, cause: 'digits' }), asks, 0)).toBeUndefined();
	expect(correctionAfter(replyOf('not_done', invalid), asks, 0)).toBeUndefined();
	expect(correctionAfter(replyOf('interrupted', invalid), asks, 0)).toBeUndefined();
	const stops = { ...asks, rows: { onInvalid: 'error' } as RunRequest['rows'] };
	expect(correctionAfter(replyOf('completed', invalid), stops, 0)).toBeUndefined();
});

it('as often as Max Corrections says, in a known thread', () => {
	expect(correctionAfter(replyOf('completed', invalid), asks, 1)).toEqual(correction);
	expect(correctionAfter(replyOf('completed', invalid), asks, 2)).toBeUndefined();
	expect(correctionAfter(replyOf('completed', invalid, { threadId: undefined }), asks, 0)).toBeUndefined();
});
