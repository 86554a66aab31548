// Removes from a server's words what repeats the request: a person may have typed it.

import { layersOf, masked, rangeOf, type Layer, type Range } from '../../mask/layers';

/** Shorter repetitions, such as a model's name, say what is wrong. */
const REPEATED_LETTERS = 24;

const IGNORED = /[^\p{L}\p{N}]+/gu;

/** Escapes and blanks differ in a repetition, so only letters and digits are compared. */
const folded = (text: string): string => text.replace(/\\[nrt]/g, ' ').replace(IGNORED, '');

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function stretchesOf(sent: unknown): Set<string> {
	const stretches = new Set<string>();
	for (const text of textsIn(sent)) {
		const letters = folded(text);
		for (let at = 0; at + REPEATED_LETTERS <= letters.length; at += REPEATED_LETTERS)
			stretches.add(letters.slice(at, at + REPEATED_LETTERS));
	}
	return stretches;
}

function lettersOf(text: string): { letters: string; places: number[] } {
	const places: number[] = [];
	const kept = text.replace(/\\[nrt]/g, '  ');
	for (const match of kept.matchAll(/[\p{L}\p{N}]/gu)) {
		for (let unit = 0; unit < match[0].length; unit++) places.push(match.index + unit);
	}
	return { letters: folded(text), places };
}

function repeatedIn(layer: Layer, stretches: Set<string>): Range[] {
	const { letters, places } = lettersOf(layer.text);
	const ranges: Range[] = [];
	for (let at = 0; at + REPEATED_LETTERS <= letters.length; ) {
		if (!stretches.has(letters.slice(at, at + REPEATED_LETTERS))) at++;
		else {
			const start = places[at]!;
			at += REPEATED_LETTERS;
			ranges.push(rangeOf(layer, start, places[at - 1]! + 1));
		}
	}
	return ranges;
}

/** Replaces each repeated stretch by "…" (vllm#49239), also if the server escaped it. */
export function withoutRepetition(text: string, sent: unknown): string {
	if (sent === undefined || text.length < REPEATED_LETTERS) return text;
	const stretches = stretchesOf(sent);
	if (stretches.size === 0) return text;
	const ranges = layersOf(text).flatMap((layer) => repeatedIn(layer, stretches));
	return masked(text, ranges, '…').replace(/…[^\p{L}\p{N}]*(?=…)/gu, '');
}
