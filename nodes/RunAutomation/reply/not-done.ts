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
const WITHOUT_REASON = /^\W*(?:no|none|null|false|nothing|n\W?a|done|<?why>?)?\W*$/i;

/** A word in brackets, perhaps in Markdown. */
const BRACKET = /^[\s*_`"']*\\?\[([^[\]\n]{1,40})\][\s*_`:.,–—-]*/;

function parseReason(text: string): NotDone | undefined {
	const [bracket = '', word = text] = BRACKET.exec(text) ?? [];
	const blockedBy = BLOCKERS.find((known) => known === word.trim().toLowerCase().replace(/[\s-]/g, '_'));
	const reason = blockedBy ? text.slice(bracket.length || text.length).trim() : text.trim();
	if (!WITHOUT_REASON.test(reason)) return { reason, blockedBy };
	return blockedBy && { reason: `The agent reported: ${blockedBy.replaceAll('_', ' ')}`, blockedBy };
}

export function reasonIn(json: Json): NotDone | undefined {
	if (typeof json === 'string') return parseReason(json);
	return json === true ? { reason: 'The agent could not do its task and gave no reason' } : undefined;
}

export const NOT_DONE = 'TASK NOT DONE:';

/** Markdown may surround the line. */
const NOT_DONE_LINE = /^[ \t>#*_`~]*TASK NOT DONE[*_`]*[ \t]*[:：][*_`]*(.*)/gm;

/** The last line counts. It is left out of the text, with what follows in its paragraph. */
export function notDoneInText(text: string): Partial<NotDone> & { text: string } {
	const line = [...text.matchAll(NOT_DONE_LINE)].at(-1);
	if (!line) return { text };
	const [paragraph = '', ...others] = text.slice(line.index + line[0].length).split(/\n\s*\n/);
	const reason = parseReason(line[1]! + paragraph);
	const isLast = others.every((other) => other.trim() === '');
	return { text: isLast ? text.slice(0, line.index).trimEnd() : text, ...reason };
}
