// Removes from a server's words what repeats the request: a person may have typed it.

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

/** Replaces each repeated stretch by "…" (vllm#49239). */
export function withoutRepetition(text: string, sent: unknown): string {
	if (sent === undefined || text.length < REPEATED_LETTERS) return text;
	const stretches = stretchesOf(sent);
	if (stretches.size === 0) return text;
	const { letters, places } = lettersOf(text);
	const kept: string[] = [];
	let from = 0;
	for (let at = 0; at + REPEATED_LETTERS <= letters.length; ) {
		if (!stretches.has(letters.slice(at, at + REPEATED_LETTERS))) at++;
		else {
			const start = places[at]!;
			if (start > from) kept.push(text.slice(from, start));
			at += REPEATED_LETTERS;
			from = places[at - 1]! + 1;
			kept.push('…');
		}
	}
	return [...kept, text.slice(from)].join('').replace(/…[^\p{L}\p{N}]*(?=…)/gu, '');
}
