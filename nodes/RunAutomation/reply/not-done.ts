import { isJsonObject, plain, type Json } from '../../shared/json';
import { isReason } from './find-rows';
import type { Scanned } from './scan';

/** Obstacles that can stop an agent, in the words that it is asked to use. */
export const BLOCKERS = [
	...(['sign_in', 'one_time_code', 'captcha', 'payment'] as const),
	...(['approval', 'access_denied', 'page_down', 'other'] as const),
];

export type BlockedBy = (typeof BLOCKERS)[number];

/** The reason why a task is not done. */
export interface NotDone {
	reason: string;
	/** Only if the agent used one of these words. */
	blockedBy?: BlockedBy;
}

/** The words of a text in lower case, without punctuation. */
const wordsOf = (text: string): string =>
	text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();

/** The word of the list that equals a text, ignoring case, spaces and punctuation. */
function findBlocker(text: string): BlockedBy | undefined {
	const letters = wordsOf(text).replaceAll(' ', '');
	return BLOCKERS.find((word) => word.replaceAll('_', '') === letters);
}

/** The words of a text that gives no reason, such as the placeholders of the instruction. Nothing else is weighed. */
const WITHOUT_REASON =
	/^(?:0|false|no|null|nothing(?: stopped me)?|n ?a|not applicable|none(?: of the above(?: applied)?)?|(?:all )?done|no (?:errors|issues|problems)|(?:n ?a )?task completed?|(?:no )?everything is done|(?:what )?why)?$/;

/** A word in brackets at the beginning of a reason, with Markdown around it. Before a parenthesis, it is a link. */
const BRACKET = /^[\s*_`~"'>]*\\?\[([^[\]\n]{1,40}?)\\?\](?!\()[*_`~\s]*[-–—:：.,;]*[*_`~\s]*/;

const UNEXPLAINED = 'The agent could not do its task and gave no reason';

/** The reason in a text, unless it says nothing. */
function parseReason(text: string): NotDone | undefined {
	const [bracket = '', word = text] = BRACKET.exec(text) ?? [];
	const blockedBy = findBlocker(word);
	const reason = (blockedBy ? text.slice(bracket.length || text.length) : text).trim();
	const words = wordsOf(reason);
	if (blockedBy && words === '') return { reason: `The agent reported: ${blockedBy.replaceAll('_', ' ')}`, blockedBy };
	if (WITHOUT_REASON.test(words)) return undefined;
	return { reason: words === 'true' ? UNEXPLAINED : reason, ...(blockedBy && { blockedBy }) };
}

/** The reason in a value that the agent wrote for "not_done". A value that is no text counts, without its content. */
function reasonIn(json: Json): NotDone | undefined {
	if (typeof json === 'string') return parseReason(json);
	const value = plain(json);
	const isEmpty = typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : !value;
	return isEmpty ? undefined : { reason: UNEXPLAINED };
}

/**
 * Finds why a task with rows is not done, beside "rows" or alone in an object. Any reason counts, and of several the first: other
 * JSON may be quoted from a stranger, and cannot cancel a reason.
 *
 * @param row the only row, which may be no list
 */
export function findNotDone({ structures }: Scanned, row?: Json): NotDone | undefined {
	const objects = structures.map(({ json }) => json).filter((json) => json !== undefined && isJsonObject(json));
	const saying = objects.filter((json) => json.rows !== undefined || isReason(json) || json === row);
	return saying.map(({ not_done: said = null }) => reasonIn(said)).find(Boolean);
}

/** Marks a line in which the agent reports that a task is not done. */
export const NOT_DONE = 'TASK NOT DONE:';

/** Matches that mark with Markdown around it, a symbol before it, and a colon, also of another language, or a word in brackets after it. */
const NOT_DONE_LINE =
	/(?:^|\n)[ \t>#*_`~•\p{Extended_Pictographic}\uFE0F-]*TASK NOT DONE[*_`]*(?:[ \u00A0\u202F]?[:：][*_`]*|(?= ?[*_`]*\\?\[[^[\]\n]{1,40}\]))/gu;

/** The end of the paragraph with the reason: a blank line, or the end of a fence. */
const END_OF_REASON = /\n[^\S\n]*(?:\n|`{3}|~{3}|$)/;

/** The lines with a reason, each with the paragraph that it begins. */
function linesIn(text: string) {
	const lines = [...text.matchAll(NOT_DONE_LINE)];
	return lines.map(({ 0: line, index: start }, place) => {
		const from = start + line.length;
		const behind = text.slice(from, lines[place + 1]?.index);
		const statement = behind.trimStart();
		const length = statement.search(END_OF_REASON);
		const paragraph = length < 0 ? statement : statement.slice(0, length);
		const written = paragraph.replace(/(?<![\s*_`~])[\s*_`~]+$/, '');
		const end = from + behind.length - statement.length + paragraph.length;
		return { start, end, written };
	});
}

/**
 * Reads the text of a result. Of several lines with a reason, the first counts: a stranger whom the agent quotes cannot cancel it.
 *
 * @returns why the task is not done, if the text says so, and the text without a line for that at its end
 */
export function readNotDone(text: string): Partial<NotDone> & { text: string } {
	const notDone = linesIn(text)
		.map(({ written }) => parseReason(written))
		.find(Boolean);
	return { text: withoutLastLine(text), ...notDone };
}

/** The text without the last line that gives a reason, unless other text follows its paragraph. */
function withoutLastLine(text: string): string {
	const line = linesIn(text).at(-1);
	if (!line) return text;
	const rest = text.slice(line.end).trim();
	return /^(?:`{3,}|~{3,})?$/.test(rest) ? withoutFence(text.slice(0, line.start).trimEnd(), rest) : text;
}

/** A text that was followed by the end of a fence: without the fence's beginning, if that is all that remains. */
function withoutFence(text: string, fenceEnd: string): string {
	if (!fenceEnd) return text;
	const opening = /(?:^|\n)[ \t]*(?:`{3,}|~{3,})\w*$/.exec(text.slice(-50));
	return opening ? text.slice(0, text.length - opening[0].length).trimEnd() : `${text}\n${fenceEnd}`;
}
