// Finds why the agent could not do its task, in the requested form.

import { isJsonObject, plain, type Json } from '../../shared/values/json';
import { saysOnlyNotDone } from './find-rows';
import type { Scanned } from './text/scan';

export const BLOCKERS = [
	...(['sign_in', 'one_time_code', 'captcha', 'payment'] as const),
	...(['approval', 'access_denied', 'page_down', 'other'] as const),
];

export type BlockedBy = (typeof BLOCKERS)[number];

export interface NotDone {
	reason: string;
	blockedBy?: BlockedBy;
}

const wordsOf = (text: string): string =>
	text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();

function findBlocker(text: string): BlockedBy | undefined {
	const letters = wordsOf(text).replaceAll(' ', '');
	return BLOCKERS.find((word) => word.replaceAll('_', '') === letters);
}

/** Answers that mean "nothing stopped me". Other text, or a listed word in brackets, is a reason. */
const WITHOUT_REASON =
	/^(?:0|false|no|null|nothing(?: stopped me)?|n ?a|not applicable|none(?: of the above(?: applied)?)?|(?:all )?done|no (?:errors|issues|problems)|(?:n ?a )?task completed?|(?:no )?everything is done|(?:what )?why)?$/;

/** A word in brackets, perhaps in Markdown. Before a parenthesis, it would be a link. */
const BRACKET = /^[\s*_`~"'>]*\\?\[([^[\]\n]{1,40}?)\\?\](?!\()[*_`~\s]*[-–—:：.,;]*[*_`~\s]*/;

const UNEXPLAINED = 'The agent could not do its task and gave no reason';

function parseReason(text: string): NotDone | undefined {
	const [bracket = '', word = text] = BRACKET.exec(text) ?? [];
	const blockedBy = findBlocker(word);
	const reason = (blockedBy ? text.slice(bracket.length || text.length) : text).trim();
	const words = wordsOf(reason);
	if (WITHOUT_REASON.test(words)) {
		return blockedBy && { reason: `The agent reported: ${blockedBy.replaceAll('_', ' ')}`, blockedBy };
	}
	return { reason: words === 'true' ? UNEXPLAINED : reason, blockedBy };
}

/** A value other than text is a reason without an explanation. */
function reasonIn(json: Json): NotDone | undefined {
	if (typeof json === 'string') return parseReason(json);
	const value = plain(json);
	const isEmpty = typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : !value;
	return isEmpty ? undefined : { reason: UNEXPLAINED };
}

/** The first reason counts: beside "rows", in the only `row`, or alone. Later JSON may quote a stranger. */
export function notDoneInJson({ structures }: Scanned, row?: Json): NotDone | undefined {
	const objects = structures.map(({ json }) => json).filter((json) => json !== undefined && isJsonObject(json));
	const saying = objects.filter((json) => json.rows !== undefined || saysOnlyNotDone(json) || json === row);
	return saying.map(({ not_done: said = null }) => reasonIn(said)).find(Boolean);
}

export const NOT_DONE = 'TASK NOT DONE:';

/** Markdown may surround the line, and the colon may be any language's. */
const NOT_DONE_LINE =
	/(?:^|\n)[ \t>#*_`~•\p{Extended_Pictographic}\uFE0F-]*TASK NOT DONE[*_`]*(?:[ \u00A0\u202F]?[:：][*_`]*|(?= ?[*_`]*\\?\[[^[\]\n]{1,40}\]))/gu;

const END_OF_REASON = /\n[^\S\n]*(?:\n|`{3}|~{3}|$)/;

function linesIn(text: string) {
	const lines = [...text.matchAll(NOT_DONE_LINE)];
	return lines.map(({ 0: line, index: start }, place) => {
		const from = start + line.length;
		const behind = text.slice(from, lines[place + 1]?.index);
		const statement = behind.trimStart();
		const [paragraph = ''] = statement.split(END_OF_REASON, 1);
		const written = paragraph.replace(/(?<![\s*_`~])[\s*_`~]+$/, '');
		const end = from + behind.length - statement.length + paragraph.length;
		return { start, end, written };
	});
}

/** The text is without its last line, if that is for a reason. */
export function notDoneInText(text: string): Partial<NotDone> & { text: string } {
	const lines = linesIn(text);
	const last = lines.at(-1);
	const notDone = lines.map(({ written }) => parseReason(written)).find(Boolean);
	const rest = text.slice(last?.end).trim();
	return { text: last && rest === '' ? text.slice(0, last.start).trimEnd() : text, ...notDone };
}
