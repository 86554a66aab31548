// Masks secrets in texts that people or agents read.

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

/** In base64, inside any longer text: the characters that do not depend on what surrounds it. */
function insideBase64(bytes: Buffer): string[] {
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		const first = Math.ceil((before * 4) / 3);
		const end = Math.floor(((before + bytes.length) * 8) / 6);
		return encoded.slice(first, end);
	});
}

/** Clients encode a user name and a password in UTF-8 or in Latin-1 (RFC 7617, 2.1). */
const bytesOf = (secret: string): Buffer[] =>
	/^[\0-\u00ff]*[\u0080-\u00ff][\0-\u00ff]*$/.test(secret)
		? [Buffer.from(secret), Buffer.from(secret, 'latin1')]
		: [Buffer.from(secret)];

/** Escapes that the secret itself has may be written in either case. */
function comparable(visible: Layer): Layer {
	const layer = withSingleBlanks(visible);
	if (!/%(?:[a-f][\da-f]|[\da-f][a-f])/i.test(layer.text)) return layer;
	return { ...layer, text: layer.text.replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase()) };
}

interface Forms {
	/** As each layer of a text may have it. The secret itself may have escapes, and forms have `+` for a blank. */
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

/** Native searches are quick, but those of a longer text may take the time of both lengths multiplied. */
const LONG = 64;

/** Knuth, Morris, Pratt: for each length, that of the longest beginning which is an end, too. */
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

/** Shorter base64 with its line breaks left out would be found in any prose. */
const MIN_BROKEN = 8;

/** Base64 in lines, as mail and `base64` have it. */
function inLines(layer: Layer, forms: string[]): Range[] {
	const long = forms.filter(({ length }) => length >= MIN_BROKEN);
	const text = layer.text.replace(/\s+/g, '');
	const found = text === layer.text ? [] : long.filter((form) => text.includes(form));
	return found.length ? rangesOf(withoutBlanks(layer), found) : [];
}

/** What may be left of an escape that was cut off with its text. */
const CUT_ESCAPE = /(?:%[\da-f]?|%u[\da-f]{0,3}|&[#\w]{0,15}|\\[\w{]{0,8})$/i;

/** Characters of the longest cut escape. */
const MAX_ESCAPE = 16;

const CUT = '…';

/** Where a text that was cut off ends with the beginning of a secret. */
function cutOff(layer: Layer, forms: string[]): Range[] {
	if (!layer.text.endsWith(CUT)) return [];
	const end = layer.text.length - CUT.length;
	const escape = CUT_ESCAPE.exec(layer.text.slice(Math.max(0, end - MAX_ESCAPE), end))?.[0] ?? '';
	return [end, end - escape.length].flatMap((last) =>
		forms.flatMap((form): Range[] => {
			const tail = layer.text.slice(Math.max(0, last - form.length), last);
			// No text has the character between them.
			const length = overlapsIn(`${form}\uffff${tail}`).at(-1)!;
			return length >= MIN_SECRET ? [rangeOf(layer, last - length, end)] : [];
		}),
	);
}

const longEnough = (forms: string[]): string[] => [...new Set(forms)].filter(({ length }) => length >= MIN_SECRET);

/**
 * Makes the function that removes secrets and tokens of file links, however a server echoed them: percent-encoded, with escapes of JSON,
 * JavaScript or HTML, also several times, or in base64. In a text that ends with "…", the beginning of a secret is found, too.
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
