// Masks secrets in texts that people or agents read.

import { words } from '../values/text';
import { tokensInVisible } from './file-tokens';
import {
	layersOf,
	masked,
	rangeOf,
	withoutBlanks,
	withoutInvisible,
	withSingleBlanks,
	type Layer,
	type Range,
} from './layers';

/** Shorter texts are not secrets, and would match everywhere. */
const MIN_SECRET = 4;

/** Returns the base64 characters that do not depend on surrounding bytes. */
function insideBase64(bytes: Buffer): string[] {
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		const first = Math.ceil((before * 4) / 3);
		const end = Math.floor(((before + bytes.length) * 8) / 6);
		return encoded.slice(first, end);
	});
}

/** Clients encode user names and passwords in UTF-8 or Latin-1 (RFC 7617, section 2.1). */
const bytesOf = (secret: string): Buffer[] =>
	/^[\0-\u00ff]*[\u0080-\u00ff][\0-\u00ff]*$/.test(secret)
		? [Buffer.from(secret), Buffer.from(secret, 'latin1')]
		: [Buffer.from(secret)];

/** A secret may itself have escapes, in either case. */
function comparable(visible: Layer): Layer {
	const layer = withSingleBlanks(visible);
	if (!/%(?:[a-f][\da-f]|[\da-f][a-f])/i.test(layer.text)) return layer;
	return { ...layer, text: layer.text.replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase()) };
}

interface Forms {
	/** Forms write `+` for a blank. */
	plain: string[];
	base64: string[];
}

function formsOf(secret: string): Forms {
	const plain = layersOf(secret).map((layer) => comparable(withoutInvisible(layer)).text);
	const base64 = bytesOf(secret).flatMap(insideBase64);
	return {
		plain: [...plain, ...plain.map((form) => form.replaceAll(' ', '+'))],
		base64: [...base64, ...base64.map((form) => form.replace(/\+/g, '-').replace(/\//g, '_'))],
	};
}

/** A native search can take the product of both lengths, so it is not used for longer texts. */
const LONG = 64;

/** Knuth, Morris, Pratt: for each length, the longest beginning that is also an end. */
function overlapsIn(form: string): Uint32Array {
	const overlaps = new Uint32Array(form.length);
	let length = 0;
	for (let index = 1; index < form.length; index++) {
		while (length > 0 && form[index] !== form[length]) length = overlaps[length - 1]!;
		if (form[index] === form[length]) length++;
		overlaps[index] = length;
	}
	return overlaps;
}

function placesOfLong(text: string, form: string): number[] {
	const places: number[] = [];
	if (!text.includes(form.slice(0, LONG))) return places;
	const overlaps = overlapsIn(form);
	let length = 0;
	for (let index = 0; index < text.length; index++) {
		while (length > 0 && (length === form.length || text[index] !== form[length])) length = overlaps[length - 1]!;
		if (text[index] === form[length]) length++;
		if (length === form.length) places.push(index + 1 - length);
	}
	return places;
}

function placesOf(text: string, form: string): number[] {
	if (form.length > LONG) return placesOfLong(text, form);
	const places: number[] = [];
	for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) places.push(at);
	return places;
}

const rangesOf = (layer: Layer, forms: string[]): Range[] =>
	forms.flatMap((form) => placesOf(layer.text, form).map((place) => rangeOf(layer, place, place + form.length)));

/** Shorter base64 without line breaks would match any prose. */
const MIN_BROKEN = 8;

/** Mail and the command `base64` break it into lines. */
function inLines(layer: Layer, forms: string[]): Range[] {
	const long = forms.filter(({ length }) => length >= MIN_BROKEN);
	const text = layer.text.replace(/\s+/g, '');
	const found = text === layer.text ? [] : long.filter((form) => text.includes(form));
	return found.length ? rangesOf(withoutBlanks(layer), found) : [];
}

/** A truncated text may end with a part of an escape. */
const CUT_ESCAPE = /(?:%[\da-f]?|%u[\da-f]{0,3}|&[#\w]{0,15}|\\[\w{]{0,8})$/i;

const MAX_ESCAPE_CHARACTERS = 16;

const CUT = '…';

/** Finds a secret's beginning at the end of a truncated text. */
function cutOff(layer: Layer, forms: string[]): Range[] {
	if (!layer.text.endsWith(CUT)) return [];
	const end = layer.text.length - CUT.length;
	const escape = CUT_ESCAPE.exec(layer.text.slice(Math.max(0, end - MAX_ESCAPE_CHARACTERS), end))?.[0] ?? '';
	return [end, end - escape.length].flatMap((last) =>
		forms.flatMap((form): Range[] => {
			const tail = layer.text.slice(Math.max(0, last - form.length), last);
			// No text has U+FFFF, so no overlap passes it.
			const length = overlapsIn(`${form}\uffff${tail}`).at(-1)!;
			return length >= MIN_SECRET ? [rangeOf(layer, last - length, end)] : [];
		}),
	);
}

const longEnough = (forms: string[]): string[] => [...new Set(forms)].filter(({ length }) => length >= MIN_SECRET);

/**
 * The function also masks file links' tokens, and secrets in base64 or escaped any number of times. If a text ends with "…",
 * the beginning of a secret is masked, too.
 */
export function maskOf(secrets: unknown[]): (text: string) => string {
	const sent = secrets.filter((secret) => typeof secret === 'string').map((secret) => secret.trim());
	const forms = sent.filter(({ length }) => length >= MIN_SECRET).map(formsOf);
	const base64 = longEnough(forms.flatMap((form) => form.base64));
	const all = longEnough([...forms.flatMap(({ plain }) => plain), ...base64]);
	return (text) => {
		const layers = layersOf(text).map(withoutInvisible);
		const ranges: Range[] = tokensInVisible(layers);
		for (const layer of all.length ? layers : []) {
			const compared = comparable(layer);
			const found = [rangesOf(compared, all), inLines(layer, base64), cutOff(compared, all)];
			for (const range of found.flat()) ranges.push(range);
		}
		return masked(text, ranges);
	};
}

/** Masks what a person may see of a text that is shortened afterwards: masking megabytes stops n8n's only thread. */
export const maskWords =
	(mask: (text: string) => string) =>
	(text: string): string =>
		mask(words(text));
