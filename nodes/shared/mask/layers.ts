// Undoes a text's escapes and keeps each character's place, so that repeatedly escaped secrets are found.

import { escapesIn, type Unit } from './escapes';

/**
 * Maps stretches of a layer to the original text: an entry for each character would exhaust the memory. A stretch begins at
 * `starts`. It is a copy from `from` on if `to` is `COPY`; else each character stands for all of `[from, to)`.
 */
interface Places {
	starts: number[];
	from: number[];
	to: number[];
}

const COPY = -1;

/** If there are no `places`, the layer is the original text. */
export interface Layer {
	text: string;
	places?: Places;
}

/** A stretch of the original text. */
export type Range = [start: number, end: number];

function stretchAt({ starts }: Places, index: number): number {
	let [low, high] = [0, starts.length - 1];
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (starts[middle]! <= index) low = middle;
		else high = middle - 1;
	}
	return low;
}

function placeOf({ places }: Layer, index: number, stretch?: number): Range {
	if (!places) return [index, index + 1];
	const at = stretch ?? stretchAt(places, index);
	const [from, to] = [places.from[at]!, places.to[at]!];
	const copy = from + index - places.starts[at]!;
	return to === COPY ? [copy, copy + 1] : [from, to];
}

export const rangeOf = (layer: Layer, start: number, end: number): Range => [
	placeOf(layer, start)[0],
	placeOf(layer, end - 1)[1],
];

/** Pieces must be added in the order of the source. */
class LayerBuilder {
	private readonly pieces: string[] = [];
	private readonly places: Places = { starts: [], from: [], to: [] };
	private length = 0;
	private latestStretch = 0;

	constructor(private readonly source: Layer) {}

	/** The text stands for `[start, end)` of the source. */
	add(text: string, start: number, end: number): void {
		if (text === '') return;
		const [from] = placeOf(this.source, start, this.seek(start));
		const [, to] = placeOf(this.source, end - 1, this.seek(end - 1));
		this.pieces.push(text);
		this.push(text.length, from, to);
	}

	copy(start: number, end: number): void {
		const { text, places } = this.source;
		if (start === end) return;
		this.pieces.push(text.slice(start, end));
		for (let at = start; at < end; ) {
			const stretch = this.seek(at);
			const next = Math.min(places?.starts[(stretch ?? 0) + 1] ?? end, end);
			const isCopy = !places || places.to[stretch!] === COPY;
			const [from, to] = placeOf(this.source, at, stretch);
			this.push(next - at, from, isCopy ? COPY : to);
			at = next;
		}
	}

	end(): Layer {
		return { text: this.pieces.join(''), places: this.places };
	}

	private seek(index: number): number | undefined {
		const starts = this.source.places?.starts;
		while (starts && starts[this.latestStretch + 1]! <= index) this.latestStretch++;
		return starts && this.latestStretch;
	}

	private push(length: number, start: number, end: number): void {
		const { starts, from, to } = this.places;
		const last = starts.length - 1;
		const goesOn = end === COPY && to[last] === COPY && from[last]! + this.length - starts[last]! === start;
		if (!goesOn) {
			starts.push(this.length);
			from.push(start);
			to.push(end);
		}
		this.length += length;
	}
}

function changed(source: Layer, changes: Iterable<[from: number, to: number, units: Unit[]]>): Layer {
	const builder = new LayerBuilder(source);
	let done = 0;
	for (const [from, to, units] of changes) {
		builder.copy(done, from);
		for (const unit of units) builder.add(...unit);
		done = to;
	}
	if (done === 0) return source;
	builder.copy(done, source.text.length);
	return builder.end();
}

function* matchesOf(text: string, pattern: RegExp, shown: string): Generator<[number, number, Unit[]]> {
	for (const { 0: found, index } of text.matchAll(pattern)) {
		const end = index + found.length;
		yield [index, end, shown === '' ? [] : [[shown, index, end]]];
	}
}

/** Servers escape a text a few times. Each further pass reads the text again. */
const MAX_LAYERS = 10;

/** The text itself, then a layer for each level of escapes that is undone. */
export function layersOf(text: string): Layer[] {
	const layers: Layer[] = [{ text }];
	for (let last = layers[0]!; layers.length < MAX_LAYERS; layers.push(last)) {
		const next = changed(last, escapesIn(last.text));
		if (next === last) break;
		last = next;
	}
	return layers;
}

const UNSEEN = /(?:[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Cc}\s])+/gu;

/** Below U+0300, only U+00AD and control characters are never seen. */
const MAY_BE_UNSEEN = /[\u0300-\uffff\u00ad]|[^\P{Cc}\s]/u;

const BLANK_RUNS = /\s+/gu;

export const withoutInvisible = (layer: Layer): Layer =>
	MAY_BE_UNSEEN.test(layer.text) ? changed(layer, matchesOf(layer.text, UNSEEN, '')) : layer;

export const withoutBlanks = (layer: Layer): Layer => changed(layer, matchesOf(layer.text, BLANK_RUNS, ''));

/** A reason is one line with single blanks. */
export const withSingleBlanks = (layer: Layer): Layer =>
	changed(layer, matchesOf(layer.text, /[^\S ]\s*|\s{2,}/g, ' '));

export function united(ranges: Range[]): Range[] {
	const all: Range[] = [];
	for (const [start, end] of ranges.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
		const last = all.at(-1);
		if (last && start < last[1]) last[1] = Math.max(last[1], end);
		else all.push([start, end]);
	}
	return all;
}

export const MASK = '***';

export function masked(text: string, ranges: Range[], mark = MASK): string {
	let result = '';
	let done = 0;
	for (const [start, end] of united(ranges)) {
		result += text.slice(done, start) + mark;
		done = end;
	}
	return ranges.length ? result + text.slice(done) : text;
}
