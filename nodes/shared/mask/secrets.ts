// Masks secrets in texts that people or agents read.

import { boundText, shorten } from '../values/text';
import { layersOf, masked, rangeOf, type Layer, type Range } from './escapes';
import { withoutTokens } from './file-tokens';

/** Shorter texts are not secrets, and would match everywhere. */
const MIN_SECRET = 4;

/** Returns the base64 characters that do not depend on surrounding bytes. */
function insideBase64(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 8) / 6));
	});
}

/** A reason has single blanks, and a browser's forms write `+` for them. */
function spellingsOf(secret: string): string[] {
	const base64 = insideBase64(secret);
	const ofUrls = base64.map((digits) => digits.replace(/\+/g, '-').replace(/\//g, '_'));
	return [secret, secret.replace(/\s+/g, ' '), secret.replaceAll(' ', '+'), ...base64, ...ofUrls];
}

function placesOf(layer: Layer, spelling: string): Range[] {
	const ranges: Range[] = [];
	for (let at = layer.text.indexOf(spelling); at >= 0; at = layer.text.indexOf(spelling, at + spelling.length))
		ranges.push(rangeOf(layer, at, at + spelling.length));
	return ranges;
}

/** The function also masks the tokens of file links. */
export function maskOf(secrets: unknown[]): (text: string) => string {
	const sent = secrets.filter((secret) => typeof secret === 'string').map((secret) => secret.trim());
	const spellings = new Set(sent.filter(({ length }) => length >= MIN_SECRET).flatMap(spellingsOf));
	const long = [...spellings].filter(({ length }) => length >= MIN_SECRET);
	const rangesIn = (layer: Layer) => long.flatMap((spelling) => placesOf(layer, spelling));
	return (text) => withoutTokens(masked(text, [...layersOf(text)].flatMap(rangesIn)));
}

/** What no text may contain: an item's key and tokens. */
export class Secrets {
	readonly mask: (text: string) => string;

	constructor(readonly values: unknown[]) {
		this.mask = maskOf(values);
	}

	/** Masks what is shown of a text, and then shortens it: masking megabytes stops n8n's only thread. */
	quote(text: string, limit?: number): string {
		return shorten(this.mask(boundText(text)), limit);
	}
}
