type Json = Record<string, unknown>;

/** Characters of a single reason that are shown. */
const MAX_REASON = 1000;

const isObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const shorten = (text: string, limit = MAX_REASON): string => {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > limit ? `${line.slice(0, limit)}…` : line;
};

/** A validation error as `body.cookies.0.name: Field required`. `input` and `ctx` echo what was sent: never read. */
function readValidationError(entry: unknown): string | undefined {
	if (typeof entry === 'string') return shorten(entry);
	if (!isObject(entry)) return undefined;
	const path = Array.isArray(entry.loc) ? entry.loc.map(String).join('.') : '';
	const text = [entry.msg, entry.type].find((value) => typeof value === 'string' && value !== '') as string | undefined;
	if (text === undefined) return undefined;
	return path ? `${shorten(path, 200)}: ${shorten(text)}` : shorten(text);
}

/** The reason in one field of a body: a text, a list of validation errors, or an object that holds one. */
function readField(value: unknown): string | undefined {
	if (typeof value === 'string') return value.trim() === '' ? undefined : shorten(value);
	if (Array.isArray(value)) {
		const entries = value.map(readValidationError).filter((text) => text !== undefined);
		return entries.length ? entries.join('; ') : undefined;
	}
	if (isObject(value)) return readObject(value);
	return undefined;
}

/**
 * `message`, `detail` and `error_description` are sentences, `error` and `code` often only a name: both are shown where
 * both are there.
 */
function readObject(body: Json): string | undefined {
	const sentences = [body.message, body.detail, body.error_description]
		.map(readField)
		.filter((text) => text !== undefined);
	const names = [body.error, body.code].map(readField).filter((text) => text !== undefined);
	const sentence = [...new Set(sentences)].join(': ');
	if (!sentence) return names[0];
	const name = names[0];
	return name === undefined || sentence.includes(name) ? sentence : `${sentence} (${name})`;
}

function readPage(html: string): string | undefined {
	const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1] ?? /<h1[^>]*>([^<]*)<\/h1>/i.exec(html)?.[1];
	const text = title && shorten(title, 200);
	return text ? `a web page titled "${text}"` : 'a web page';
}

/**
 * Finds the server's own reason in the body of an answer that is no success. Shapes: contract sections 2.10 and 7, and
 * the further ones that services of this kind use: `{detail}`, `{message, detail}`, `{error, message?}`,
 * `{error: {code, message}}`, `{error, error_description}` (RFC 6749, section 5.2), HTML from a proxy, plain text, nothing.
 *
 * @param body as parsed by n8n, or as text
 * @returns `reason` in the server's words, or `page` where a web page came instead of an answer, or nothing
 */
export function readReason(body: unknown): { reason?: string; page?: string } {
	if (typeof body !== 'string') return isObject(body) || Array.isArray(body) ? { reason: readField(body) } : {};
	const text = body.trim();
	if (text === '') return {};
	if (/^<(!doctype|html|head|body|\?xml|!--)/i.test(text)) return { page: readPage(text) };
	try {
		const parsed: unknown = JSON.parse(text);
		return { reason: typeof parsed === 'number' ? text : readField(parsed) };
	} catch {
		return { reason: shorten(text) };
	}
}

/** A text without the given secrets, wherever a server has echoed them. */
export function withoutSecrets(text: string, secrets: unknown[]): string {
	let result = text;
	for (const secret of secrets) {
		if (typeof secret === 'string' && secret.length >= 4) result = result.split(secret).join('***');
	}
	return result;
}
