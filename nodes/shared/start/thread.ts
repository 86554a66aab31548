// Finds the ID of a thread in the headers, the body or a link of a response.

import { isObject } from '../values/nested';

const THREAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One UUID (2.3), however often a proxy repeats it; all else is unknown. */
function threadIdOf(value: unknown): string | undefined {
	const [id = '', ...others] = String(value)
		.split(',')
		.map((text) => text.trim().replace(/^["']|["']$/g, ''));
	return THREAD_ID.test(id) && others.every((other) => isSameThread(other, id)) ? id : undefined;
}

export const threadIdIn = (headers: Record<string, unknown>, body?: unknown): string | undefined =>
	threadIdOf(isObject(body) ? body.thread_id : undefined) ?? threadIdOf(headers['x-thread-id']);

/** The thread's page, such as `/threads/8f14e45f-…`. */
export const threadIdInPath = (url: URL): string | undefined =>
	threadIdOf(url.pathname.split('/').filter(Boolean).at(-1));

export const isSameThread = (one: string, other: string | undefined): boolean =>
	one.toLowerCase() === other?.toLowerCase();
