// Finds a thread's ID in a response's headers, body or link.

import { isObject } from '../values/nested';

const THREAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A proxy may repeat the header, and so its UUID (contract 2.3). */
function threadIdOf(value: unknown): string | undefined {
	const [id = '', ...others] = String(value)
		.split(',')
		.map((text) => text.trim().replace(/^["']|["']$/g, ''));
	return THREAD_ID.test(id) && others.every((other) => isSameThread(other, id)) ? id : undefined;
}

export const threadIdIn = (headers: Record<string, unknown>, body?: unknown): string | undefined =>
	threadIdOf(isObject(body) ? body.thread_id : undefined) ?? threadIdOf(headers['x-thread-id']);

export const isSameThread = (one: string, other: string | undefined): boolean =>
	one.toLowerCase() === other?.toLowerCase();
