import { withoutTokens } from './file-tokens';

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

function formsOf(secret: string): string[] {
	const base64 = insideBase64(secret).flatMap((form) => [form, form.replace(/\+/g, '-').replace(/\//g, '_')]);
	const inJson = JSON.stringify(secret).slice(1, -1);
	const inUrl = encodeURIComponent(secret.toWellFormed());
	return [...new Set([secret, inJson, inJson.replaceAll('/', '\\/'), inUrl, ...base64])];
}

/** With URL escapes in either case, and any whitespace: reasons are one line. */
function finderOf(form: string): RegExp {
	const inEitherCase = (letter: string) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`;
	const source = form
		.replace(/%[\da-f]{2}|[^\w\s]/gi, (found) =>
			found.length > 1 ? found.replace(/[a-f]/gi, inEitherCase) : `\\${found}`,
		)
		.replace(/\s+/g, '\\s+');
	return new RegExp(source, 'g');
}

/**
 * Makes the function that removes secrets and tokens of file links, however a server echoed them: as sent, escaped for JSON,
 * URL-encoded, or in base64. Truncate only afterwards: the beginning of a secret would not match.
 */
export function maskOf(secrets: unknown[]): (text: string) => string {
	const sent = secrets.filter((secret) => typeof secret === 'string').map((secret) => secret.trim());
	const finders = sent
		.filter(({ length }) => length >= MIN_SECRET)
		.flatMap(formsOf)
		// A form may begin another one.
		.sort((a, b) => b.length - a.length)
		.map(finderOf);
	return (text) => {
		let result = withoutTokens(text);
		for (const finder of finders) result = result.replace(finder, '***');
		return result;
	};
}
