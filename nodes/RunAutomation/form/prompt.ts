// Makes the task that is sent: the person's words, files and data, and the instructions about the reply.

import { BLOCKERS, NOT_DONE } from '../reply/not-done';
import type { RowsFormat } from '../columns/schema';

export interface TaskParts {
	/** The person's words. */
	query: string;
	/** Input fields, as a block that is marked as data. */
	data: string;
	/** What is asked of the reply. */
	instruction: string;
}

/** @param links the list of files, or an empty text */
export const taskText = ({ query, data, instruction }: TaskParts, links: string): string =>
	[query, links, data, instruction].filter(Boolean).join('\n\n');

const notDoneInstruction = (how: (reason: string) => string): string =>
	`Only if something stopped you, ${how('[<what>] <why>')}, where <what> is one of ${BLOCKERS.join(', ')}. Not if there are few results, or if a value is missing.`;

export const resultInstruction = notDoneInstruction((reason) => `end your reply with the line ${NOT_DONE} ${reason}`);

/** docs/reference.md shows this text, and the one for results. */
export function rowsInstruction({ told, isSingle }: RowsFormat): string {
	return [
		'When you are done, reply with one JSON code block and write nothing after it. The JSON is one object: {"rows": [...]}.',
		'Each row has exactly the keys, in the order, of this JSON Schema:',
		told,
		isSingle ? 'Return exactly one row.' : 'Return one row for each result.',
		'Write links as full URLs with https://, numbers without units and without thousands separators, dates in ISO 8601 (2026-01-31 or 2026-01-31T09:30:00Z), and null for a value that you did not find. If there are no results, return {"rows": []}.',
		notDoneInstruction((reason) => `add "not_done": "${reason}" beside "rows"`),
	].join('\n');
}
