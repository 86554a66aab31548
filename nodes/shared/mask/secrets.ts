import { tokensIn } from './file-tokens';
import { layersOf, masked, rangeOf, withoutInvisible, withSingleBlanks, type Layer, type Range } from './layers';

/** Shorter texts are not secrets, and would match everywhere. */
const MIN_SECRET = 4;

/** In base64, inside any longer text: the characters that do not depend on what surrounds it. */
function insideBase64(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		const first = Math.ceil((before * 4) / 3);
		const end = Math.floor(((before + bytes.length) * 8) / 6);
		return encoded.slice(first, end);
	});
}

/** Escapes that the secret itself has may be written in either case. */
function comparable(layer: Layer): Layer {
	const { text, ...places } = withSingleBlanks(withoutInvisible(layer));
	return { text: text.replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase()), ...places };
}

/** As each layer of a text may have it. The secret itself may have escapes, and forms have `+` for a blank. */
function formsOf(secret: string): string[] {
	const plain = layersOf(secret).map((layer) => comparable(layer).text);
	const base64 = insideBase64(secret).flatMap((form) => [form, form.replace(/\+/g, '-').replace(/\//g, '_')]);
	return [...plain, ...plain.map((form) => form.replaceAll(' ', '+')), ...base64];
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

/**
 * Makes the function that removes secrets and tokens of file links, however a server echoed them: percent-encoded, with escapes of JSON,
 * JavaScript or HTML, also several times, or in base64. Truncate only afterwards: the beginning of a secret would not match.
 */
export function maskOf(secrets: unknown[]): (text: string) => string {
	const sent = secrets.filter((secret) => typeof secret === 'string').map((secret) => secret.trim());
	const found = sent.filter(({ length }) => length >= MIN_SECRET).flatMap(formsOf);
	const forms = [...new Set(found)].filter(({ length }) => length >= MIN_SECRET);
	return (text) => {
		const layers = layersOf(text);
		const ranges: Range[] = tokensIn(layers);
		for (const layer of forms.length ? layers.map(comparable) : []) {
			for (const form of forms) {
				for (const place of placesOf(layer.text, form)) ranges.push(rangeOf(layer, place, place + form.length));
			}
		}
		return masked(text, ranges);
	};
}
