// Reads an agent's texts: its reply without thoughts, its rows, and why its task is not done.

import type { Secrets } from '../../shared/mask/secrets';
import { counted } from '../../shared/values/text';
import type { RowsFormat } from '../columns/schema';
import { notDoneInText, type NotDone } from './not-done';
import { readRows, type RowsInReply } from './read-rows';

export interface RequestedReply {
	operation: string;
	/** True if the agent is asked to report what stopped it. */
	checksDone: boolean;
	rows: RowsFormat | undefined;
}

interface Reply {
	text: string;
	/** Only the operation `rows` has them. */
	rows?: RowsInReply;
	/** Only a completed run has it. */
	notDone?: NotDone;
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
export function withoutThoughts(text: string): { text: string; leftOut: string[] } {
	let spoken = text.replace(CITATION, '');
	for (let [block] = THOUGHTS.exec(spoken) ?? []; block; [block] = THOUGHTS.exec(spoken) ?? []) {
		spoken = spoken.slice(block.length);
	}
	const end = END_OF_THOUGHTS.exec(spoken);
	if (!end || /<think/i.test(spoken.slice(0, end.index))) return { text: spoken, leftOut: [] };
	const sentence = `Left out of the text: thoughts that have no beginning (${counted(end.index, 'character')})`;
	return { text: spoken.slice(end.index + end[0].length), leftOut: [sentence] };
}

const MAX_NOT_DONE_REASON = 2000;

function joined(texts: string[]): string {
	const filled = texts.filter((text) => text.trim() !== '');
	return filled.map((text) => (filled.length === 1 ? text : text.trim())).join('\n\n');
}

/** @param steps the texts of each step */
export function readReply(
	steps: string[][],
	{ operation, checksDone, rows: format }: RequestedReply,
	isCompleted: boolean,
	secrets: Secrets,
): Reply {
	const isRaw = operation === 'raw';
	const read = steps.map((texts) => texts.map((text) => (isRaw ? { text, leftOut: [] } : withoutThoughts(text))));
	const leftOut = read.flat().flatMap((text) => text.leftOut);
	const texts = read.map((step) => joined(step.map(({ text }) => text))).filter((text) => text !== '');
	const reasonOf = ({ reason, blockedBy }: Partial<NotDone>): NotDone | undefined =>
		isCompleted && reason !== undefined ? { reason: secrets.quote(reason, MAX_NOT_DONE_REASON), blockedBy } : undefined;
	if (format && !isRaw) {
		const rows = readRows(texts, format, secrets);
		return { text: texts.join('\n\n'), rows, notDone: reasonOf(rows.notDone ?? {}), leftOut };
	}
	const last = texts.at(-1) ?? '';
	if (!checksDone || !isCompleted || isRaw) return { text: last, leftOut };
	const { text, ...notDone } = notDoneInText(last);
	return { text: text.trim() === '' ? (texts.at(-2) ?? '') : text, notDone: reasonOf(notDone), leftOut };
}
