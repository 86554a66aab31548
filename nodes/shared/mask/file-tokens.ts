import { changeTexts } from '../values/nested';

// n8n's link to a file ends with a token: only the agent may have it.

/** In a link, also inside another link, or alone: a JWT whose ID begins with the name of a storage of n8n. */
const TOKEN =
	/((?:\/|%(?:25)*2F)binary-data(?:\/|%(?:25)*2F)signed(?:\?|%(?:25)*3F)token(?:=|%(?:25)*3D))[\w.-]+|eyJ[\w-]{1,500}\.eyJpZCI6(?:ImZpbGVzeXN0ZW|ImRhdGFiYXNlO|InMzO|ImF6dXJlO)[\w-]{1,2000}(?:\.[\w-]*)?/gi;

export const withoutTokens = (text: string): string =>
	text.replace(TOKEN, (_token, link: string | undefined) => `${link ?? ''}***`);

const MAY_HOLD_TOKEN = /[/%]|eyJ|ey?$/i;

const MAX_HELD = 5000;

/** Holds back a word that may contain a token, until it ends. */
export class TokenFilter {
	private held = '';

	push(piece: string): string {
		const text = this.held + piece;
		const [word] = /(?<![!-~])[!-~]*$/.exec(text.slice(-MAX_HELD))!;
		// A token must not be split.
		const [begun] = /(?<![\w.-])[\w.-]*$/.exec(text.slice(0, text.length - word.length).slice(-MAX_HELD))!;
		const held = word.length < MAX_HELD ? word : begun + word;
		this.held = MAY_HOLD_TOKEN.test(held) ? held : '';
		return withoutTokens(text.slice(0, text.length - this.held.length));
	}

	end(): string {
		const rest = withoutTokens(this.held);
		this.held = '';
		return rest;
	}
}

type TextChunk = { type: string; [field: string]: unknown };

const DELTAS = ['delta', 'inputTextDelta'];

/** Also of tokens that are spread over the deltas of one part. */
export function chunksWithoutTokens(chunks: TextChunk[]): TextChunk[] {
	const open = new Map<unknown, { filter: TokenFilter; end: () => void }>();
	const masked = chunks.map((chunk) => {
		const result = changeTexts(chunk, withoutTokens);
		const id = chunk.id ?? chunk.toolCallId;
		const field = DELTAS.find((name) => typeof chunk[name] === 'string');
		if (!field) {
			open.get(id)?.end();
			open.delete(id);
			return result;
		}
		const filter = open.get(id)?.filter ?? new TokenFilter();
		result[field] = filter.push(chunk[field] as string);
		open.set(id, { filter, end: () => void (result[field] = String(result[field]) + filter.end()) });
		return result;
	});
	for (const { end } of open.values()) end();
	return masked;
}
