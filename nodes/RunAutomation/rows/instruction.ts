import { shortenList } from '../../values';
import { NOT_DONE } from './not-done';
import { listChoices, TYPES, type Column, type NamedShape, type RowsFormat, type Shape } from './types';

/** Problems that a follow-up lists; a model that is told of more corrects none of them better. */
const MAX_CORRECTIONS = 20;

function insideOf({ entry, fields }: Shape): string {
	if (entry) return `, each entry ${TYPES[entry.type].expected}${insideOf(entry)}`;
	return fields ? ' with exactly these keys' : '';
}

function linesOf(field: NamedShape & Partial<Column>, indent = ''): string[] {
	const { name, type, choices, description = '', isRequired } = field;
	const about = description.replace(/\s+/g, ' ').trim();
	const kind = `${TYPES[type].word}${listChoices(choices)}${insideOf(field)}${isRequired ? ', required' : ''}`;
	let inner: Shape = field;
	while (inner.entry) inner = inner.entry;
	const below = inner.fields?.flatMap((one) => linesOf(one, `${indent}  `)) ?? [];
	return [`${indent}- ${JSON.stringify(name)} (${kind})${about && `: ${about}`}`, ...below];
}

/** How the agent is asked to say that it could not do its task. */
const notDoneInstruction = (how: string): string =>
	`Only if something stopped you, such as a sign-in, a captcha or a page that does not load, ${how}. Not if there are few results, or if a value is missing.`;

/** What a task is followed by whose result is text. */
export const resultInstruction = notDoneInstruction(
	`end your reply with a line that begins with ${NOT_DONE} and says why`,
);

/** What a task is followed by, so that the agent replies with rows. docs/reference.md shows this text. */
export function rowsInstruction({ columns, isSingle }: RowsFormat): string {
	return [
		'When you are done, reply with one JSON code block and write nothing after it. The JSON is one object: {"rows": [...]}.',
		'Each row is an object with exactly these keys, in this order:',
		...columns.flatMap((column) => linesOf(column)),
		isSingle ? 'Return exactly one row.' : 'Return one row for each result.',
		'Write numbers without units and without thousands separators, dates in ISO 8601 (2026-01-31 or 2026-01-31T09:30:00Z), and null for a value that you did not find. If there are no results, return {"rows": []}.',
		notDoneInstruction('add "not_done": "<why>" beside "rows"'),
	].join('\n');
}

/** The task of a follow-up in the same thread, after a reply whose rows do not fit. */
export function followUpTask(problems: string[], format: RowsFormat): string {
	return [
		'Your last reply does not fit:',
		...shortenList(problems, MAX_CORRECTIONS).map((problem) => `- ${problem}`),
		'Reply again with all rows, corrected.',
		'',
		rowsInstruction(format),
	].join('\n');
}
