import { withoutTokens } from './file-tokens';

/** Shorter texts are not secrets, and would be found everywhere. */
const MIN_SECRET = 4;

/** What a text looks like inside any longer text in base64: the characters that do not depend on what surrounds it. */
function insideBase64(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		const first = Math.ceil((before * 4) / 3);
		const end = Math.floor(((before + bytes.length) * 8) / 6);
		return encoded.slice(first, end);
	});
}

/** A secret in every form in which a server may echo it, the longest first. */
function formsOf(secret: string): string[] {
	const base64 = insideBase64(secret).flatMap((form) => [form, form.replace(/\+/g, '-').replace(/\//g, '_')]);
	const inJson = JSON.stringify(secret).slice(1, -1);
	const inUrl = encodeURIComponent(secret.toWellFormed());
	const forms = [secret, inJson, inJson.replaceAll('/', '\\/'), inUrl, ...base64];
	return [...new Set(forms)].filter(({ length }) => length >= MIN_SECRET).sort((a, b) => b.length - a.length);
}

/** Finds a form of a secret, the escapes of URLs in it in either case, which mean the same. */
function finderOf(form: string): RegExp {
	const inEitherCase = (letter: string) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`;
	const source = form.replace(/%[\da-f]{2}|[^\w\s]/gi, (found) =>
		found.length > 1 ? found.replace(/[a-f]/gi, inEitherCase) : `\\${found}`,
	);
	return new RegExp(source, 'g');
}

/**
 * Makes the function that takes secrets, texts of at least four characters, out of a text, however a server echoed them: as
 * sent, escaped for JSON, URL-encoded (in either case), or in base64. The tokens of links to files are taken out, too. A text is cut
 * only afterwards: the beginning of a secret would not be found.
 */
export function maskOf(secrets: unknown[]): (text: string) => string {
	const sent = secrets.filter((secret) => typeof secret === 'string').map((secret) => secret.trim());
	const finders = sent
		.filter(({ length }) => length >= MIN_SECRET)
		.flatMap(formsOf)
		.map(finderOf);
	return (text) => {
		let result = withoutTokens(text);
		for (const finder of finders) result = result.replace(finder, '***');
		return result;
	};
}
