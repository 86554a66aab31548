// Reads the fields of a start that both nodes have.

import { inputError } from '../failure/failure';
import { parseUrl } from '../values/url';
import { quotedLabel, type Field } from './fields';
import { readJsonObject, readText } from './read';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Prefers an ID named as a thread's, else the last that is not a run's. */
function threadInLink(link: string): string | undefined {
	const named = link.match(/thread\w{0,9}[/=][0-9a-f-]{36}/gi)?.at(-1);
	return (named ?? link.replace(/[?&#]run\w*=[^&#]*/gi, '')).match(UUID)?.at(-1);
}

/** Accepts a UUID or a thread's link. No value becomes an empty text. */
export function readThreadId(field: Field, value: unknown, stored?: unknown): string {
	const text = readText(field, value, stored);
	if (text === '') return '';
	const isLink = /^https?:\/\//i.test(text) && parseUrl(text) !== undefined;
	const ids = text.match(UUID) ?? [];
	const [id, ...others] = isLink ? [threadInLink(text)] : ids;
	if (id !== undefined && (isLink || id === text)) return id;
	throw inputError(
		`${quotedLabel(field)} ${others.some((other) => other !== id) ? 'contains more than one ID' : 'is not valid'}`,
		'Map thread_id from an earlier run, paste the thread link, or leave it empty',
	);
}

const SET_IN_FORM = {
	detach: 'The operation decides whether a run continues in the background. Remove this field',
	thread_id: "Enter it in 'Thread ID' instead",
};

export function readBodyFields(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	const given = readJsonObject(field, value, stored);
	for (const [name, advice] of Object.entries(SET_IN_FORM)) {
		if (name in given) throw inputError(`${quotedLabel(field)} must not contain "${name}"`, advice);
	}
	return given;
}
