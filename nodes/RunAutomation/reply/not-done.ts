// Finds why the agent could not do its task, as it was asked to say.

import { plain, type Json } from '../../shared/values/json';

export const BLOCKERS = [
	...(['sign_in', 'one_time_code', 'captcha', 'payment'] as const),
	...(['approval', 'access_denied', 'page_down', 'other'] as const),
];

export type BlockedBy = (typeof BLOCKERS)[number];

export interface NotDone {
	reason: string;
	blockedBy?: BlockedBy;
}

/** Answers that mean "nothing stopped me". */
const WITHOUT_REASON =
	/^(?:\d*|no|none(?: of the above(?: applied)?)?|null|false|nothing(?: stopped me)?|na|not applicable|no (?:errors|issues|problems)|(?:(?:all|task|no everything is|everything is) )?(?:done|completed?)|(?:what )?why)$/;

const lettersIn = (text: string): string =>
	text
		.toLowerCase()
		.replace(/[^\p{L}\p{N} ]/gu, '')
		.trim();

/** A word in brackets, perhaps in Markdown. */
const BRACKET = /^\W*\[([^[\]\n]{1,40})\][^\p{L}\p{N}]*/u;

function parseReason(text: string): NotDone | undefined {
	const [bracket = '', word = text] = BRACKET.exec(text) ?? [];
	const blockedBy = BLOCKERS.find((known) => known.replaceAll('_', '') === lettersIn(word).replaceAll(' ', ''));
	const rest = blockedBy ? text.slice(bracket.length || text.length) : text;
	const reason = rest.trim().replace(/(?<![\s*_`~])[\s*_`~]+$/, '');
	if (!WITHOUT_REASON.test(lettersIn(reason))) return { reason, blockedBy };
	return blockedBy && { reason: `The agent reported: ${blockedBy.replaceAll('_', ' ')}`, blockedBy };
}

/** A value other than text is a reason without an explanation. */
export function reasonIn(json: Json): NotDone | undefined {
	if (typeof json === 'string') return parseReason(json);
	const value = plain(json);
	const isEmpty = typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : !value;
	return isEmpty ? undefined : { reason: 'The agent could not do its task and gave no reason' };
}

export const NOT_DONE = 'TASK NOT DONE:';

/**
 * The words may have any case, and marks around them. They count only if punctuation or the end of the line follows them;
 * otherwise they belong to a sentence.
 */
const NOT_DONE_LINE = /^[^\p{L}\n]*TASK NOT DONE(?=[^\S\n]*(?:[^\p{L}\p{N}\s]|$))[^\p{L}\p{N}\n[]*(.*)/gimu;

/** The first reason counts, because a later line may quote a stranger. The last line is left out if nothing follows it. */
export function notDoneInText(text: string): Partial<NotDone> & { text: string } {
	const lines = [...text.matchAll(NOT_DONE_LINE)];
	const paragraphs = lines.map(({ 0: line, 1: begun = '', index }, number) => {
		const after = text.slice(index + line.length, lines[number + 1]?.index);
		const start = begun === '' ? after.search(/\S|$/) : 0;
		const [paragraph = ''] = after.slice(start).split(/\n\s*\n/, 1);
		return after.slice(0, start) + paragraph;
	});
	const reasons = lines.map(({ 1: begun = '' }, number) => parseReason(begun + paragraphs[number]!));
	const last = lines.at(-1);
	const rest = last && text.slice(last.index + last[0].length + paragraphs.at(-1)!.length);
	return { text: last && rest!.trim() === '' ? text.slice(0, last.index).trimEnd() : text, ...reasons.find(Boolean) };
}
