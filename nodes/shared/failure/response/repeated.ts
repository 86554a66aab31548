// Removes from a server's words what repeats the request: a person may have typed it.

import { layersOf, masked, rangeOf, type Layer, type Range } from '../../mask/escapes';
import { changeTexts } from '../../values/nested';

/** Shorter repetitions, such as a model's name, say what is wrong. */
const REPEATED = 24;

/** A reason is one line with single blanks. */
function stretchesOf(sent: unknown): Set<string> {
	const stretches = new Set<string>();
	changeTexts(sent, (text) => {
		const line = text.replace(/\s+/g, ' ');
		for (let at = 0; at + REPEATED <= line.length; at += REPEATED) stretches.add(line.slice(at, at + REPEATED));
		return text;
	});
	return stretches;
}

function repeatedIn(layer: Layer, stretches: Set<string>): Range[] {
	const ranges: Range[] = [];
	for (let at = 0; at + REPEATED <= layer.text.length; at++) {
		if (!stretches.has(layer.text.slice(at, at + REPEATED))) continue;
		ranges.push(rangeOf(layer, at, at + REPEATED));
		at += REPEATED - 1;
	}
	return ranges;
}

/** Replaces each repeated stretch, and what is left between two, by "…" (vllm#49239), also if the server escaped it. */
export function withoutRepetition(text: string, sent: unknown): string {
	const stretches = stretchesOf(sent);
	if (stretches.size === 0) return text;
	const ranges = [...layersOf(text)].flatMap((layer) => repeatedIn(layer, stretches));
	return masked(text, ranges, '…').replace(/…[^…]{0,24}(?=…)/g, '');
}
