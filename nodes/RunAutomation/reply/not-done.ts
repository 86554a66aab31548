// Finds why the agent could not do its task, in the requested form.

import type { Json } from '../../shared/values/json';

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
	/^(?:no|none|null|false|nothing(?: stopped me)?|na|not applicable|(?:all |task )?(?:done|completed?)|why)?$/;

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
	const reason = rest.trim().replace(/[\s*_`~]+$/, '');
	if (!WITHOUT_REASON.test(lettersIn(reason))) return { reason, blockedBy };
	return blockedBy && { reason: `The agent reported: ${blockedBy.replaceAll('_', ' ')}`, blockedBy };
}

export function reasonIn(json: Json): NotDone | undefined {
	if (typeof json === 'string') return parseReason(json);
	return json === true ? { reason: 'The agent could not do its task and gave no reason' } : undefined;
}

export const NOT_DONE = 'TASK NOT DONE:';

/** Markdown may surround the line, and any mark may follow its words. */
const NOT_DONE_LINE = /^[^\p{L}\n]*TASK NOT DONE[^\p{L}\p{N}\n[]*(.*)/gmu;

/** The last line counts. It is left out of the text, with what follows in its paragraph. */
export function notDoneInText(text: string): Partial<NotDone> & { text: string } {
	const line = [...text.matchAll(NOT_DONE_LINE)].at(-1);
	if (!line) return { text };
	const [paragraph = '', ...others] = text.slice(line.index + line[0].length).split(/\n\s*\n/);
	const reason = parseReason(line[1]! + paragraph);
	const isLast = others.every((other) => other.trim() === '');
	return { text: isLast ? text.slice(0, line.index).trimEnd() : text, ...reason };
}
