import { plain, type Json, type JsonObject } from '../../form/read-json';

/** What an agent writes that says nothing, without case and punctuation. */
const NOTHING = /^(?:0|false|n ?a|no|none|not applicable|nothing|null|(?:all )?done|no (?:errors|issues|problems))?$/;

/** Words that say nothing, with others behind them, such as "None - all rows were collected". */
const NOTHING_FIRST =
	/^[^\p{L}\p{N}]*(?:(?:none|nothing|no|n\/a|not applicable|null|false|(?:all )?done|no (?:errors|issues|problems))[*_`"'\s]*[-–—,.:;(]|nothing stopped\b)/iu;

const saysNothing = (text: string): boolean => {
	const words = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
	return NOTHING.test(words.trim());
};

/**
 * Why a task is not done, in the JSON of a reply; undefined if that says nothing.
 *
 * @param hasRows whether there are rows that fit: beside them, only a text is a reason
 */
export function reasonIn(json: JsonObject | Json[], hasRows: boolean): string | undefined {
	const value = Array.isArray(json) ? null : plain(json.not_done ?? null);
	const reason = typeof value === 'string' ? value.trim() : JSON.stringify(value);
	if (hasRows && (typeof value !== 'string' || NOTHING_FIRST.test(reason))) return undefined;
	if (saysNothing(reason)) return undefined;
	return reason.toLowerCase() === 'true' ? 'The agent could not do its task, and gave no reason' : reason;
}

/** What an agent is asked to write, in a line of its own. */
export const NOT_DONE = 'TASK NOT DONE:';

/** That with Markdown around it, a symbol before it, or the colon of another language. */
const NOT_DONE_LINE =
	/(?:^|\n)[ \t>#*_`~•\p{Extended_Pictographic}\uFE0F-]*TASK NOT DONE[*_`]*[ \u00A0\u202F]?[:：][*_`]*/gu;

/** Where the paragraph of the reason ends: at a blank line, or at the end of a fence. */
const END_OF_REASON = /\n[^\S\n]*(?:\n|`{3}|~{3}|$)/;

/**
 * Finds why a task is not done in the text of a result, where the agent says so in a line that begins as it was asked to.
 *
 * @returns the reason, unless it says nothing, and the text without it if nothing stands behind it
 */
export function readNotDone(text: string): { text: string; reason?: string } {
	const line = [...text.matchAll(NOT_DONE_LINE)].at(-1);
	if (!line) return { text };
	const said = text.slice(line.index + line[0].length).trimStart();
	const end = said.search(END_OF_REASON);
	const [paragraph, rest] = end < 0 ? [said, ''] : [said.slice(0, end), said.slice(end).trim()];
	const reason = paragraph.replace(/(?<![\s*_`~])[\s*_`~]+$/, '');
	const isLast = /^(?:`{3,}|~{3,})?$/.test(rest);
	const before = text.slice(0, line.index).trimEnd();
	return {
		text: isLast ? withoutFence(before, rest) : text,
		...(!saysNothing(reason) && { reason }),
	};
}

/** A text behind which the end of a fence stood: without its beginning, if nothing else is in it. */
function withoutFence(text: string, fenceEnd: string): string {
	if (!fenceEnd) return text;
	const opening = /(?:^|\n)[ \t]*(?:`{3,}|~{3,})\w*$/.exec(text.slice(-50));
	return opening ? text.slice(0, text.length - opening[0].length).trimEnd() : `${text}\n${fenceEnd}`;
}
