// Undoes the escapes of URLs, HTML, JSON and JavaScript in a text, one level of them.

/** A character and its place in the text. */
export type Unit = [text: string, from: number, to: number];

/** The names of U+00A0 to U+00FF, in order. */
const LATIN_1 =
	'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
	'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
	'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
	'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
	'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** The names of ASCII punctuation, the euro, and characters without a width. */
const OTHERS =
	'Tab\t NewLine\n excl! quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* midast* plus+ comma, period. sol/ colon: semi; lt< ' +
	'equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ UnderBar_ grave` DiacriticalGrave` lcub{ lbrace{ ' +
	'verbar| vert| VerticalLine| rcub} rbrace} QUOT" AMP& LT< GT> euro\u20ac ZeroWidthSpace\u200b zwnj\u200c zwj\u200d';

const NAMED_ENTITIES = new Map<string, string>([
	...OTHERS.split(' ').map((entry): [string, string] => [entry.slice(0, -1), entry.slice(-1)]),
	...LATIN_1.split(' ').map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
]);

/** HTML reads the codes 128 to 159 as these characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** A backslash at the end of a line removes the line end. */
const CONTROLS = new Map<string, string>([
	...[...'nrtbfv'].map((letter, index): [string, string] => [letter, '\n\r\t\b\f\v'[index]!]),
	...['\n', '\r\n', '\r', '\u2028', '\u2029'].map((end): [string, string] => [end, '']),
]);

/** `&amp`, `&gt`, `&lt`, `&quot` and `&nbsp` need no semicolon. */
const ESCAPE =
	/(?:%[\da-f]{2})+|%u([\da-f]{4})|&#x0{0,9}([\da-f]{1,6});?|&#0{0,9}(\d{1,7});?|&([a-z][a-z\d]{1,15});|&(amp|gt|lt|quot|nbsp)|\\u\{0{0,9}([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})|\\([0-3]?[0-7]{1,2})|\\(\r\n|[^ux])/gi;

const LENGTHS = [0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, 2, 2, 3, 4];

/** Bytes that are not UTF-8 are read as Latin-1. */
function unitsOfBytes(escapes: string, start: number): Unit[] {
	const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
	const units: Unit[] = [];
	for (let index = 0; index < bytes.length; ) {
		const length = Math.max(LENGTHS[bytes[index]! >> 4]!, 1);
		const read = length > 1 ? bytes.toString('utf8', index, index + length) : '';
		const isValid = length > 1 && !read.includes('\uFFFD') && index + length <= bytes.length;
		const count = isValid ? length : 1;
		const text = isValid ? read : String.fromCharCode(bytes[index]!);
		units.push([text, start + index * 3, start + (index + count) * 3]);
		index += count;
	}
	return units;
}

function characterOf(code: number): string | undefined {
	if (code >= 0x80 && code < 0xa0) return WINDOWS_1252[code - 0x80];
	return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function unescaped(match: RegExpExecArray): string | undefined {
	const [, wide, hex, decimal, name, basic, long, short, byte, octal, other] = match;
	if (hex !== undefined) return characterOf(parseInt(hex, 16));
	if (decimal !== undefined) return characterOf(Number(decimal));
	const digits = wide ?? long ?? short ?? byte;
	if (digits !== undefined)
		return parseInt(digits, 16) <= 0x10ffff ? String.fromCodePoint(parseInt(digits, 16)) : undefined;
	if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
	if (other !== undefined) return CONTROLS.get(other) ?? other;
	return NAMED_ENTITIES.get(name ?? basic!.toLowerCase());
}

function unitsOf(match: RegExpExecArray): Unit[] | undefined {
	const [written] = match;
	const { index } = match;
	if (/^%[^u]/i.test(written)) return unitsOfBytes(written, index);
	const character = unescaped(match);
	return character === undefined ? undefined : [[character, index, index + written.length]];
}

export function* escapesIn(text: string): Generator<[from: number, to: number, units: Unit[]]> {
	if (!/[%&\\]/.test(text)) return;
	for (const match of text.matchAll(ESCAPE)) {
		const units = unitsOf(match);
		if (units) yield [match.index, match.index + match[0].length, units];
	}
}
