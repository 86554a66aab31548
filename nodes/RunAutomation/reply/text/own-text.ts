// Separates an agent's reply from the thoughts, citation marks and tool calls that models write into a text.

import { MAX_JSON_DEPTH, readJsonStart } from '../../../shared/values/json';
import { counted } from '../../../shared/values/text';
import { FENCE } from './scan';

export interface OwnText {
	text: string;
	/** True if a tool call that was never made ends the text: the agent meant to continue. */
	endsInCall: boolean;
	/** A sentence for each part that may have been the agent's own. */
	leftOut: string[];
}

/** An entity's citation has a list of texts. Any other quote may end a text in JSON, whose next text a page can write. */
const ENTITY = '\\["[^"\\\\\\n\\r]{0,100}"(?:, ?"[^"\\\\\\n\\r]{0,100}"){0,9}\\]';

/** Any character of a citation except line ends and marks. */
const OF_CITATION = '[^"\\\\\\n\\r\uE200\uE201]|\\\\(?!ue20[01]|[nr]|u000[ad])[^\\n\\r]';

/** OpenAI's models put citations between private-use characters, or their escapes in JSON. */
const CITATION = new RegExp(
	`(?:\uE200|(?<!\\\\)\\\\ue200)(?:${ENTITY}|${OF_CITATION}){0,200}(?:\uE201|\\\\ue201)`,
	'gi',
);

const MARK = /[\uE200\uE201]|(?<!\\)\\ue20[01]/gi;

const THOUGHTS = '(?:\\w{1,20}:)?(think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)';

/** The brackets of the tag depend on the model. */
export const OPENS_THOUGHTS = new RegExp(`\\s*[<[◁]${THOUGHTS}(?:\\s[^<>\\]]{0,100})?[>\\]▷]`, 'iy');

const THOUGHT_TAG = new RegExp(`[<[◁](/?)${THOUGHTS}\\s{0,9}[>\\]▷]`, 'i');

export const closesThoughts = (name: string) => new RegExp(`[<[◁]/(?:\\w{1,20}:)?${name}\\s{0,9}[>\\]▷]`, 'gi');

/** Finds out if a place is in code or quotes. Places must grow, so that each character is read once. */
class Quotes {
	private readonly fences: number[];
	private fencesBefore = 0;
	private at = 0;
	/** The beginning of the line, which may make it code or a quote. */
	private indent = '';
	private ticks = 0;
	private marks = 0;

	constructor(private readonly text: string) {
		this.fences = [...text.matchAll(FENCE)].map(({ index }) => index);
	}

	isQuoted(place: number): boolean {
		while (this.fences[this.fencesBefore]! < place) this.fencesBefore++;
		const passed = this.text.slice(this.at, place);
		const newLine = passed.lastIndexOf('\n') + 1;
		if (newLine > 0 || this.at === 0)
			[this.indent, this.ticks, this.marks] = [passed.slice(newLine, newLine + 5), 0, 0];
		const inLine = passed.slice(newLine);
		this.ticks += inLine.split('`').length - 1;
		this.marks += inLine.replace(/\\./g, '').split('"').length - 1;
		this.at = place;
		const isCode = this.fencesBefore % 2 === 1 || this.ticks % 2 === 1 || /^(?: {4}|\t)/.test(this.indent);
		return isCode || this.marks % 2 === 1 || /^\s*>/.test(this.indent) || /[“„«‘']$/.test(inLine.slice(-1));
	}
}

/** Servers swallow some models' first tag. Texts about tags have them in code or quotes. */
function endOfUnopened(text: string): number {
	const tag = THOUGHT_TAG.exec(text);
	if (tag?.[1] !== '/') return 0;
	const end = tag.index + tag[0].length;
	const isAlone = /^[ \t\r]*\n\s*\S/.test(text.slice(end));
	return isAlone && !new Quotes(text).isQuoted(tag.index) ? end : 0;
}

const leftOutOf = (what: string, text: string): string[] => {
	const { length } = text.trim();
	return length ? [`Left out of the text: ${what} (${counted(length, 'character')})`] : [];
};

/** Thoughts begin the text, in any number of blocks. If they never end, they may be the reply. */
function withoutThoughts(text: string): Pick<OwnText, 'leftOut' | 'text'> {
	let at = 0;
	for (;;) {
		OPENS_THOUGHTS.lastIndex = at;
		const name = OPENS_THOUGHTS.exec(text)?.[1];
		const closing = closesThoughts(name ?? '');
		closing.lastIndex = OPENS_THOUGHTS.lastIndex;
		if (name === undefined || !closing.test(text)) break;
		at = closing.lastIndex;
	}
	const rest = at > 0 ? text.slice(at).trimStart() : text;
	const end = endOfUnopened(rest);
	const leftOut = leftOutOf('what is before the end of thoughts that have no beginning', rest.slice(0, end));
	return { text: end > 0 ? rest.slice(end).trimStart() : rest, leftOut };
}

const CALL_TAG =
	/[<[][|｜]?(\/?)(?:\w{1,20}:)?(tool[_▁]calls?(?:[_▁][a-z_▁]{1,20})?|tool_use|python_tag|function_calls?|invoke|function(?==))(?:[\s=][^<>\n]{0,500})?[|｜]?[>\]]/gi;

/** A call follows its tag like this, unlike words about calls. */
const IN_CALL = /^\s*(?:$|[{[<]|[\w.:-]{1,100}\s*(?:[{([]|<(?!\/)))/;

/** A call that has no closing tag ends with its JSON, or else with the text. */
function endOfUnclosed(text: string, from: number): number {
	const start = from + text.slice(from).search(/\S|$/);
	const { problem, end } = readJsonStart(text.slice(start), MAX_JSON_DEPTH);
	return problem ? text.length : start + end;
}

/** For each tag, the end of its closing tag, if there is one. */
function endsOf(tags: RegExpExecArray[]): Array<number | undefined> {
	const ends = new Map<string, number>();
	return tags
		.toReversed()
		.map((tag) => {
			const name = tag[2]!.toLowerCase();
			if (tag[1] === '/') ends.set(name, tag.index + tag[0].length);
			return ends.get(name);
		})
		.toReversed();
}

function callsIn(text: string): Array<[number, number]> {
	const tags = [...text.matchAll(CALL_TAG)];
	const ends = endsOf(tags);
	const quotes = new Quotes(text);
	const calls: Array<[number, number]> = [];
	for (const [place, { 0: tag, 1: slash, index }] of tags.entries()) {
		const from = index + tag.length;
		if (index < (calls.at(-1)?.[1] ?? 0) || quotes.isQuoted(index) || slash === '/') continue;
		if (IN_CALL.test(text.slice(from, from + 200))) calls.push([index, ends[place] ?? endOfUnclosed(text, from)]);
	}
	return calls;
}

function withoutCalls(text: string): OwnText {
	const calls = callsIn(text);
	const kept = [0, ...calls.map(([, end]) => end)].map((from, place) => text.slice(from, calls[place]?.[0]));
	const endsInCall = calls.length > 0 && kept.at(-1)!.trim() === '';
	const removed = calls.map(([start, end]) => text.slice(start, end)).join('');
	const leftOut = leftOutOf('tool calls that are written as text', removed);
	return { text: endsInCall ? kept.join('').trimEnd() : kept.join(''), endsInCall, leftOut };
}

/** A mark that may continue in the next piece stays. */
export const withoutCitations = (text: string): string => text.replace(CITATION, '');

/** Nothing may read the text before this. */
export function ownText(text: string): OwnText {
	const { text: spoken, leftOut } = withoutThoughts(withoutCitations(text).replace(MARK, ''));
	const own = withoutCalls(spoken);
	return { ...own, leftOut: [...leftOut, ...own.leftOut] };
}
