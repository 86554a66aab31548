import { isJsonObject, plain, type Json } from '../../shared/json';
import { scan, type Scanned, type Structure } from './scan';

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

/** The words of a text that gives no reason, such as the placeholders of the instruction. */
const WITHOUT_REASON =
	/^(?:0|false|no|null|nothing|n ?a|not applicable|none(?: of the above(?: applied)?)?|(?:all )?done|no (?:errors|issues|problems)|(?:n ?a )?task completed?|(?:no )?everything is done|(?:what )?why)?$/;

/** Such words at the beginning, and the words after them. */
const WITHOUT_REASON_FIRST =
	/^(?:none|nothing(?<stopped> stopped(?: me| the agent)?)?|no(?: errors| issues| problems)?|n ?a|not applicable|null|false|(?:all )?done)(?: (?<rest>.+))?$/;

/** The words of an agent that could do everything, such as "all rows were collected". */
const POSITIVE =
	/^(?:(\d+) of \1|no (?:errors|issues|obstacles|problems)|(?!.*\b(?:but|cannot|except|failed|hardly|never|no|not|only|partially|partly|t|until|without)\b)(?:(?:all|every\w*)(?: [^ ]+){0,3}|the (?:list|table|task)) (?:(?:was|were|is|are|has been|have been) )?(?:collected|completed?|done|extracted|found|listed|loaded|read|returned|worked)(?: successfully)?)$/;

/** Whether words that begin with "none" mean that nothing is missing. */
function isPositive(words: string): boolean {
	const { rest, stopped } = WITHOUT_REASON_FIRST.exec(words)?.groups ?? {};
	return rest === undefined ? stopped !== undefined : WITHOUT_REASON.test(rest) || POSITIVE.test(rest);
}

/** A word in brackets at the beginning of a reason, with Markdown around it. Before a parenthesis, it is a link. */
const BRACKET = /^[\s*_`~"'>]*\\?\[([^[\]\n]{1,40}?)\\?\](?!\()[*_`~\s]*[-–—:：.,;]*[*_`~\s]*/;

const UNEXPLAINED = 'The agent could not do its task and gave no reason';

/**
 * Reads the agent's text for a reason.
 *
 * @param hasRows whether there are valid rows: then, "None - all rows were collected" is not a reason
 * @returns undefined if the text gives no reason
 */
function parseReason(text: string, hasRows = false): NotDone | undefined {
	const [bracket = '', word = text] = BRACKET.exec(text) ?? [];
	const blockedBy = findBlocker(word);
	const reason = (blockedBy ? text.slice(bracket.length || text.length) : text).trim();
	const words = wordsOf(reason);
	if (blockedBy && words === '') return { reason: `The agent reported: ${blockedBy.replaceAll('_', ' ')}`, blockedBy };
	if (WITHOUT_REASON.test(words) || (hasRows && isPositive(words))) return undefined;
	return { reason: words === 'true' ? UNEXPLAINED : reason, ...(blockedBy && { blockedBy }) };
}

/** A reason in JSON as one text: for a list or an object, the texts in it. With rows, nothing else is a reason. */
function reasonText(json: Json, hasRows: boolean): string {
	const value = plain(json);
	const values = Object(value) === value ? Object.values(value as object).filter((inner) => inner !== null) : [value];
	if (!values.every((inner) => typeof inner === 'string')) return hasRows ? '' : JSON.stringify(value);
	const [first = '', ...rest] = values;
	const blockedBy = findBlocker(first);
	return [blockedBy ? `[${blockedBy}]` : first, ...rest].join(' ');
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

/** Whether a structure is an entry of a list of other things. */
const isEntry = ({ text }: Scanned, { start, end, isNested }: Structure): boolean =>
	isNested && /[[,]\s*$/.test(text.slice(0, start).slice(-50)) && /^\s*[,\]]/.test(text.slice(end, end + 50));

/** The objects in a text that contain only a reason, rows and a reason, or a single row and a reason. */
function objectsIn(scanned: Scanned, counted: Json | undefined): Array<{ start: number; json: Json }> {
	if (!scanned.text.includes('not_done')) return [];
	const entries = scanned.structures.filter((structure) => !isEntry(scanned, structure));
	const objects = entries.flatMap((structure) => (scanned.read(structure) ? structure : structure.inner));
	return objects.flatMap(({ start, end }) => {
		const json = scanned.read({ start, end });
		if (json === undefined || !isJsonObject(json) || json.not_done === undefined) return [];
		const isOnly = Object.keys(json).every((key) => key === 'not_done' || key === 'rows');
		return isOnly || json === counted ? [{ start, json: json.not_done }] : [];
	});
}

/**
 * Finds why a task is not done in the last text of a run: in a line that begins with the mark, or in an object of its
 * own. Any reason counts, and of several the first: other text may be quoted from a stranger, and cannot cancel a reason.
 *
 * @param counted the JSON with the rows of the reply, which may have other keys, such as those of a single row
 */
export function findNotDone(scanned: Scanned, hasRows = false, counted?: Json): NotDone | undefined {
	const objects = objectsIn(scanned, counted).map(({ start, json }) => ({ start, written: reasonText(json, hasRows) }));
	const all = [...linesIn(scanned.text), ...objects].sort((a, b) => a.start - b.start);
	for (const { written } of all) {
		const notDone = parseReason(written, hasRows);
		if (notDone) return notDone;
	}
	return undefined;
}

/**
 * Reads the text of a result.
 *
 * @returns why the task is not done, if the text says so, and the text without a line for that at its end
 */
export function readNotDone(text: string): Partial<NotDone> & { text: string } {
	return { text: withoutLastLine(text), ...findNotDone(scan(text)) };
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
