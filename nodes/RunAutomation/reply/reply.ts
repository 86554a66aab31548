// Reads an agent's texts: its reply without thoughts, its rows, and why its task is not done.

import type { Secrets } from '../../shared/mask/secrets';
import { counted } from '../../shared/values/text';
import type { RowsFormat } from '../columns/schema';
import { notDoneInText, type BlockedBy, type NotDone } from './not-done';
import { readRows, type RowsInReply } from './read-rows';

export interface RequestedReply {
	operation: string;
	/** True if the agent was asked to report what stopped it, and may have done so in its text. */
	checksDone: boolean;
	rows: RowsFormat | undefined;
}

interface Reply {
	text: string;
	/** Only the operation `rows` has them. */
	rows?: RowsInReply;
	/** Why a run that completed did not do its task. */
	shortfall?: { status: 'incomplete' | 'not_done'; reason: string; blocked_by?: BlockedBy };
	/** Sentences on what the text lacks. */
	leftOut: string[];
}

/** OpenAI's models put citations between private-use characters. A quote would end a text in JSON. */
const CITATION = /\uE200[^"\\\n\uE200\uE201]{0,200}\uE201/g;

/** Models think at the beginning of a text, in any number of blocks. */
const THOUGHTS = /^\s*<(think|thinking|thoughts?|reasoning)>[^]*?<\/\1>\s*/i;

/** Servers swallow some models' first tag. Something follows the last one, alone at the end of its line. */
const END_OF_THOUGHTS = /<\/think(?:ing)?>[ \t\r]*\n\s*(?=\S)/i;

/** Nothing may read the text before this. `leftOut` says what may have been a part of the reply. */
function withoutThoughts(text: string): { text: string; leftOut: string[] } {
	let spoken = text.replace(CITATION, '');
	for (let [block] = THOUGHTS.exec(spoken) ?? []; block; [block] = THOUGHTS.exec(spoken) ?? []) {
		spoken = spoken.slice(block.length);
	}
	const end = END_OF_THOUGHTS.exec(spoken);
	if (!end || /<think/i.test(spoken.slice(0, end.index))) return { text: spoken, leftOut: [] };
	const sentence = `Left out of the text: thoughts that have no beginning (${counted(end.index, 'character')})`;
	return { text: spoken.slice(end.index + end[0].length), leftOut: [sentence] };
}

/** Models write calls as text if a server does not recognize them (oh-my-pi#8495, claude-code#64179). */
const CALL_TAG = /<(\/?)(?:\w{1,20}:)?(?:tool_calls?|function_calls?|invoke)(?:\s[^<>\n]{0,500})?>/g;

/** Returns where the calls begin with which a text ends. Words about calls have no tags, or something follows them. */
function startOfLastCalls(text: string): number | undefined {
	const tags = [...text.matchAll(CALL_TAG)];
	const last = tags.at(-1);
	if (!last) return undefined;
	const rest = text.slice(last.index + last[0].length).trim();
	const isCall = last[1] === '/' ? rest === '' : /^(?:$|[{[<])/.test(rest);
	return isCall ? tags[0]!.index : undefined;
}

/** Half a character, or bytes that are none. In JSON, it may be escaped. */
const DAMAGED = /\uFFFD|\\u(?:fffd|d[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..\\u)d[c-f])/i;

const ENDS_IN_CALL = 'The reply ends in a tool call that is written as text';

const MAX_NOT_DONE_REASON = 2000;

function textOfStep(texts: string[]): string {
	const filled = texts.filter((text) => text.trim() !== '');
	return filled.map((text) => (filled.length === 1 ? text : text.trim())).join('\n\n');
}

/** @param steps the texts of each step */
export function readReply(
	steps: string[][],
	{ operation, checksDone, rows: format }: RequestedReply,
	secrets: Secrets,
): Reply {
	const isRaw = operation === 'raw';
	const spoken = steps.map((texts) => texts.map((text) => (isRaw ? { text, leftOut: [] } : withoutThoughts(text))));
	const texts = spoken.map((step) => textOfStep(step.map(({ text }) => text))).filter(Boolean);
	const last = texts.at(-1) ?? '';
	const reply: Reply = {
		text: format ? texts.join('\n\n') : last,
		leftOut: spoken.flat().flatMap(({ leftOut }) => leftOut),
	};
	if (DAMAGED.test(reply.text)) reply.leftOut.push('Some characters of the text are damaged, and appear as \uFFFD');
	if (isRaw) return reply;
	const startOfCalls = startOfLastCalls(last);
	if (startOfCalls !== undefined) reply.shortfall = { status: 'incomplete', reason: ENDS_IN_CALL };
	// What the agent passes to a tool is no row.
	if (format) reply.rows = readRows([...texts.slice(0, -1), last.slice(0, startOfCalls)], format, secrets);
	let notDone: Partial<NotDone> | undefined = reply.rows?.notDone;
	if (checksDone && !reply.rows?.rows.length) {
		const { text, ...said } = notDoneInText(reply.text);
		notDone ??= said;
		// The line may be a step's whole text.
		if (!format) reply.text = text.trim() === '' ? (texts.at(-2) ?? '') : text;
	}
	const { reason, blockedBy } = notDone ?? {};
	if (reason !== undefined) {
		const quoted = secrets.quote(reason, MAX_NOT_DONE_REASON);
		reply.shortfall = { status: 'not_done', reason: quoted, blocked_by: blockedBy };
	}
	return reply;
}
