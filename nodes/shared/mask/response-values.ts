// Finds possible tokens in the response to a sign-in, to mask them.

import { parseJson } from '../values/json';
import { isObject } from '../values/nested';

/** Words about the request stand in these fields (RFC 6749, section 5.2; RFC 9457). */
const FIELDS_OF_WORDS = /^(error|message|msg|title|detail|reason|description|code|type|status|loc|field|path)s?$/;

/** Shorter values, and values with blanks, are words. */
const TOKEN_LIKE = /^\S{8,}$/;

/** Masking searches for each of these. */
const MAX_TOKENS = 200;

const MAX_BODY_DEPTH = 6;

function* valuesIn(body: unknown, name: string, depth: number): Generator<string> {
	if (depth > MAX_BODY_DEPTH) return;
	if (Array.isArray(body)) for (const entry of body) yield* valuesIn(entry, name, depth + 1);
	else if (isObject(body)) for (const [key, value] of Object.entries(body)) yield* valuesIn(value, key, depth + 1);
	else if (!FIELDS_OF_WORDS.test(name.toLowerCase().replace(/^.*_/, '')) && TOKEN_LIKE.test(String(body)))
		yield String(body);
}

export const possibleTokens = (body: unknown): string[] =>
	[...valuesIn(typeof body === 'string' ? parseJson(body) : body, 'message', 0)].slice(0, MAX_TOKENS);
