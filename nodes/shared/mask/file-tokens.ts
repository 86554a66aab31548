// Removes the tokens at the end of n8n's file links: only the agent may have them.

import { changeTexts } from '../values/nested';
import {
	united,
	layersOf,
	MASK,
	masked,
	rangeOf,
	withoutBlanks,
	withoutInvisible,
	type Layer,
	type Range,
} from './layers';

/** A token in a link, or a lone JWT whose ID begins with the name of n8n's storage. */
const TOKEN =
	/(?<=\/binary-data\/signed\?token=)[\w.-]+|(?:eyJ[\w-]{1,500}\.)?(eyJpZCI6(?:ImZpbGVzeXN0ZW|ImRhdGFiYXNlO|InMzO|ImF6dXJlO)[\w-]{1,2000})(\.[\w-]*)?/gi;

/** Faster than the pattern above, which looks at each word. */
const MAY_BE_TOKEN = /eyJpZCI6|signed\?token=/i;
const SPREAD_PAYLOAD = /e\s*y\s*J\s*p\s*Z\s*C\s*I\s*6/i;

/** Characters of a SHA-256 signature. */
const SIGNATURE = 43;

function isComplete(payload: string): boolean {
	try {
		return typeof JSON.parse(Buffer.from(payload, 'base64url').toString()) === 'object';
	} catch {
		return false;
	}
}

/** Words may follow a signature in a text with blanks, so its length says where it ends. */
function endOfSignature(layer: Layer, start: number, end: number): number {
	const hasBlankBefore = (index: number) =>
		index === end || rangeOf(layer, index, index + 1)[0] !== rangeOf(layer, index - 1, index)[1];
	const whole = start + SIGNATURE;
	if (whole <= end && hasBlankBefore(whole)) return whole;
	let first = start + 1;
	while (first < end && !hasBlankBefore(first)) first++;
	return Math.min(first, end);
}

function tokensWithBlanks(layer: Layer): Range[] {
	if (!SPREAD_PAYLOAD.test(layer.text)) return [];
	const dense = withoutBlanks(layer);
	if (dense === layer) return [];
	return [...dense.text.matchAll(TOKEN)].flatMap(({ 0: token, 1: payload, 2: signature, index }): Range[] => {
		if (payload === undefined || !isComplete(payload)) return [];
		const end = index + token.length;
		const last = signature ? endOfSignature(dense, end - signature.length + 1, end) : end;
		return [rangeOf(dense, index, last)];
	});
}

const wholeTokens = (layer: Layer): Range[] =>
	MAY_BE_TOKEN.test(layer.text)
		? [...layer.text.matchAll(TOKEN)].map(({ 0: token, index }) => rangeOf(layer, index, index + token.length))
		: [];

/** The layers must have no invisible characters. The ranges are the original text's. */
export const tokensInVisible = (layers: Layer[]): Range[] =>
	layers.flatMap((layer) => [...wholeTokens(layer), ...tokensWithBlanks(layer)]);

export const tokensIn = (layers: Layer[]): Range[] => tokensInVisible(layers.map(withoutInvisible));

const MIN_TOKEN_CHARACTERS = 14;

export const withoutTokens = (text: string): string =>
	text.length < MIN_TOKEN_CHARACTERS ? text : masked(text, tokensIn(layersOf(text)));

const MAY_HOLD_TOKEN = /[/%&\\]|eyJ|ey?$/i;

const MAX_HELD = 5000;

const MAX_TOKEN_CHARACTERS = 2600;

/** Counts characters at the end that may begin a token. A pattern would search each piece again. */
function openCharacters(text: string): number {
	let start = text.length;
	let dots = 0;
	for (; start > Math.max(0, text.length - MAX_TOKEN_CHARACTERS); start--) {
		const character = text[start - 1]!;
		if (character === '.') dots++;
		if (dots > 2 || !/[\w.-]/.test(character)) break;
	}
	const [begun = ''] = /eyJ[^]*|(?<![\w-])ey?$/i.exec(text.slice(start)) ?? [];
	return begun.length;
}

/** The token may contain blanks and invisible characters. */
function startOfOpen(text: string, layers: Layer[]): number {
	const starts = layers.map((layer) => {
		const dense = withoutBlanks(withoutInvisible(layer));
		const { length } = dense.text;
		const count = openCharacters(dense.text);
		return count ? rangeOf(dense, length - count, length)[0] : text.length;
	});
	return Math.max(Math.min(...starts), text.length - MAX_HELD);
}

/** Only a word that may contain a token is held back. */
function startOfWord(text: string): number {
	const [word] = /(?<![!-~])[!-~]*$/.exec(text.slice(-MAX_HELD))!;
	// A token must not be split.
	const [begun] = /(?<![\w.-])[\w.-]*$/.exec(text.slice(0, text.length - word.length).slice(-MAX_HELD))!;
	const held = word.length < MAX_HELD ? word : begun + word;
	return MAY_HOLD_TOKEN.test(held) ? text.length - held.length : text.length;
}

/** A longer held text is searched only after growing by half, because pieces may be short. */
const MIN_LONG = 64;

/** Holds back a word that may contain a token, or a token with blanks, until it ends. */
export class TokenFilter {
	private held = '';
	private nextLength = 0;
	private isOpen = false;

	push(piece: string): string {
		const text = this.held + piece;
		if (text.length < this.nextLength && (this.isOpen || /^[!-~]*$/.test(piece))) {
			this.held = text;
			return '';
		}
		const layers = layersOf(text);
		const ranges = united(tokensIn(layers));
		const open = startOfOpen(text, layers);
		const end = Math.min(open, startOfWord(text));
		const [start] = ranges.find((range) => range[0] < end && end < range[1]) ?? [end];
		this.isOpen = open < text.length;
		this.held = text.slice(start);
		this.nextLength = this.held.length < MIN_LONG ? 0 : this.held.length * 1.5;
		return masked(
			text.slice(0, start),
			ranges.filter((range) => range[1] <= start),
		);
	}

	end(): string {
		const rest = withoutTokens(this.held);
		this.held = '';
		this.nextLength = 0;
		return rest;
	}
}

type TextChunk = { type: string; [field: string]: unknown };

type Delta = [chunk: TextChunk, field: string];

const DELTAS = ['delta', 'inputTextDelta'];

function deltasWithoutTokens(deltas: string[]): string[] {
	const ranges = united(tokensIn(layersOf(deltas.join(''))));
	if (ranges.length === 0) return deltas;
	let next = 0;
	let at = 0;
	return deltas.map((delta) => {
		const end = at + delta.length;
		let shown = '';
		while (at < end) {
			const [from, to] = ranges[next] ?? [Infinity, Infinity];
			const start = end - delta.length;
			if (at < from) shown += delta.slice(at - start, from - start);
			else if (at === from) shown += MASK;
			at = at < from ? Math.min(from, end) : Math.min(to, end);
			if (at === to) next++;
		}
		return shown;
	});
}

/** A token may be spread over the deltas of a part. */
export function chunksWithoutTokens(chunks: TextChunk[]): TextChunk[] {
	const open = new Map<unknown, Delta[]>();
	const end = (part: Delta[] = []) => {
		const shown = deltasWithoutTokens(part.map(([chunk, field]) => chunk[field] as string));
		for (const [index, [chunk, field]] of part.entries()) chunk[field] = shown[index];
	};
	const masked = chunks.map((chunk) => {
		const field = DELTAS.find((name) => typeof chunk[name] === 'string');
		const id = chunk.id ?? chunk.toolCallId;
		if (!field) {
			end(open.get(id));
			open.delete(id);
			return changeTexts(chunk, withoutTokens);
		}
		const { [field]: delta, ...rest } = chunk;
		const result: TextChunk = { ...changeTexts(rest as TextChunk, withoutTokens), [field]: delta };
		const part = open.get(id) ?? [];
		part.push([result, field]);
		open.set(id, part);
		return result;
	});
	for (const part of open.values()) end(part);
	return masked;
}
