import { findList } from './find-list';
import { normalizeCookie, type Cookie } from './normalize-cookie';

export type { Cookie } from './normalize-cookie';

/** What every ordinary name of a cookie is made of. */
const ORDINARY_NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** The name of a cookie to find it by, as text for a sentence; empty if it is missing or may contain a part of the value. */
function nameOf(entry: unknown): string {
	const { name, value } = Object(entry) as { name?: unknown; value?: unknown };
	return typeof name === 'string' && name !== value && ORDINARY_NAME.test(name) ? ` ("${name}")` : '';
}

/**
 * Reads cookies in any of the shapes that people hold, and brings them into the shape that the service takes: a list, an
 * object with the list in its field `cookies` (a Playwright storage state), either as text, or a `cookies.txt` file.
 *
 * @returns the cookies, or what is wrong with the first one that cannot be used; never with anything of its value
 */
export function readCookies(given: unknown): { cookies: Cookie[]; problem?: string } {
	const { list, problem } = findList(given);
	if (!list) return { cookies: [], problem };
	if (list.length === 0) return { cookies: [], problem: 'Cookies contains no cookies' };
	const cookies: Cookie[] = [];
	for (const [index, entry] of list.entries()) {
		const result = normalizeCookie(entry);
		if (typeof result === 'string') return { cookies, problem: `Cookie ${index + 1}${nameOf(entry)} ${result}` };
		cookies.push(result);
	}
	return { cookies };
}
