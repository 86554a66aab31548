import { shorten } from '../../text/shorten';
import type { JsonRequest } from '../parameters/run-request';
import { parseJson } from '../stream';

/** Openings of an object or a list that are tried in a text with words around its JSON. */
const MAX_TRIES = 50;

const MAX_QUOTE = 200;

/** JSON that is an object or a list. */
export type Structure = Record<string, unknown> | unknown[];

function parseStructure(text: string): Structure | undefined {
	const value = parseJson(text);
	return typeof value === 'object' && value !== null ? (value as Structure) : undefined;
}

/** Index after the bracket that closes the one at `start`, or -1. Brackets inside strings do not count. */
function endOfStructure(text: string, start: number): number {
	let depth = 0;
	for (let i = start; i < text.length; i++) {
		const char = text[i];
		if (char === '"') {
			for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++;
		} else if (char === '{' || char === '[') {
			depth++;
		} else if (char === '}' || char === ']') {
			if (--depth === 0) return i + 1;
		}
	}
	return -1;
}

/** The first object or list that stands somewhere in a text. */
function findStructure(text: string): Structure | undefined {
	let start = text.search(/[{[]/);
	for (let tries = 0; start !== -1 && tries < MAX_TRIES; tries++) {
		const end = endOfStructure(text, start);
		const value = end === -1 ? undefined : parseStructure(text.slice(start, end));
		if (value) return value;
		const next = text.slice(start + 1).search(/[{[]/);
		start = next === -1 ? -1 : start + 1 + next;
	}
	return undefined;
}

/**
 * Reads the JSON that an agent has written: bare, in a code fence (the last one counts), or with words around it.
 *
 * @returns the object or list, or undefined where there is none
 */
function readJson(text: string): Structure | undefined {
	const bare = parseStructure(text.trim());
	if (bare) return bare;
	const fences = [...text.matchAll(/```[^\n`]*\n([\s\S]*?)```/g)].map(([, content]) => content).reverse();
	for (const content of fences) {
		const value = parseStructure(content.trim());
		if (value) return value;
	}
	return findStructure(text);
}

const quote = (text: string) => JSON.stringify(shorten(text, MAX_QUOTE));

/**
 * Reads the text of a run as the JSON that is asked for.
 *
 * @returns `output`, or `fault`: a sentence that says what is missing and quotes what stands there
 */
export function readOutput(text: string, { requiredKeys }: JsonRequest): { output: Structure } | { fault: string } {
	const output = readJson(text);
	if (!output) return { fault: `The text of the run holds no JSON. It reads: ${quote(text)}` };
	for (const element of Array.isArray(output) ? output : [output]) {
		const keys = typeof element === 'object' && element !== null ? element : {};
		const missing = requiredKeys.find((key) => !Object.hasOwn(keys, key));
		if (missing)
			return {
				fault: `The JSON of the run lacks the required key "${missing}". It reads: ${quote(JSON.stringify(element))}`,
			};
	}
	return { output };
}
