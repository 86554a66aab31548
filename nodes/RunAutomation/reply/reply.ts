// Reads an agent's texts: its reply without thoughts, its rows, and why its task is not done.

import type { Secrets } from '../../shared/mask/secrets';
import type { RowsFormat } from '../columns/schema';
import { notDoneInText, type NotDone } from './not-done';
import { ownText } from './own-text';
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
	const read = steps.map((texts) => texts.map((text) => (isRaw ? { text, leftOut: [] } : ownText(text))));
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
