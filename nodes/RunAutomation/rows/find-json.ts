import { isObject } from '../../values/is-object';
import { parseJson } from '../stream';

/** JSON that is an object or a list. */
export type Structure = Record<string, unknown> | unknown[];

export type FoundJson = { json: Structure; problem?: undefined } | { json?: undefined; problem: string };

const NO_JSON: FoundJson = { problem: 'The reply contains no JSON' };
const INVALID: FoundJson = { problem: 'The JSON in the reply is incomplete or invalid' };
const SEVERAL: FoundJson = { problem: 'The reply contains more than one JSON object or list' };

function parseStructure(text: string): Structure | undefined {
	const value = parseJson(text);
	return typeof value === 'object' && value !== null ? (value as Structure) : undefined;
}

/** One object per line. A single line is an object like any other. */
function parseJsonLines(text: string): Structure | undefined {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	if (lines.length < 2) return undefined;
	const values: unknown[] = [];
	for (const line of lines) {
		const value = parseJson(line);
		if (!isObject(value)) return undefined;
		values.push(value);
	}
	return values;
}

const parseWhole = (text: string) => parseStructure(text) ?? parseJsonLines(text);

/** A code fence with its language and content; the content ends with the text if the fence is not closed. */
const FENCE = /^[ \t]*(`{3,}|~{3,})([^\n`{[]*)([\s\S]*?)(?:\1[ \t\r]*$|(?![\s\S]))/gm;

/** The content of the last code fence that is meant to be JSON. */
function lastJsonFence(text: string): string | undefined {
	const fences = [...text.matchAll(FENCE)].map(([, , language, content]) => ({ language, content: content.trim() }));
	return fences.reverse().find(({ language, content }) => /^\s*json/i.test(language) || /^[{[]/.test(content))?.content;
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

/** How an object, or a list of objects, begins. A footnote, a check box and a link of Markdown do not. */
const BEGINNING = /\{\s*["}]|\[\s*\{/y;

const beginsAt = (text: string, index: number): boolean => {
	BEGINNING.lastIndex = index;
	return BEGINNING.test(text);
};

/** Whether the text beside some JSON shows that the JSON is a piece of a larger one. */
const isPiece = (before: string, after: string) =>
	/"\s*[:,]\s*$/.test(before.slice(-50)) || /^\s*,\s*(?:["{[]|$)/.test(after.slice(0, 50));

/**
 * The only object or list of objects in a text with words around it. A bracket without its counterpart may be left over
 * from a larger one: then nothing is found.
 */
function onlyStructure(text: string): FoundJson {
	let found: FoundJson = NO_JSON;
	for (let i = 0; i < text.length; i++) {
		if (text[i] === '}' || text[i] === ']') return INVALID;
		if (text[i] !== '{' && text[i] !== '[') continue;
		const end = endOfStructure(text, i);
		if (end === -1) return INVALID;
		if (beginsAt(text, i)) {
			const json = parseStructure(text.slice(i, end));
			if (!json || isPiece(text.slice(0, i), text.slice(end))) return INVALID;
			if (found.json) return SEVERAL;
			found = { json };
		}
		i = end - 1;
	}
	return found;
}

/**
 * Reads the JSON that an agent has written: the bare text, the last code fence, JSON Lines, or the only object or list
 * of objects among words. JSON that is cut off or invalid is never replaced by a piece of it.
 */
export function findJson(text: string): FoundJson {
	const bare = parseWhole(text);
	if (bare) return { json: bare };
	const fence = lastJsonFence(text);
	if (fence === undefined) return onlyStructure(text);
	const json = parseWhole(fence);
	return json ? { json } : INVALID;
}
