// Removes the tokens at the end of n8n's file links, as n8n writes them: only the agent may have them.

import { changeTexts } from '../values/nested';

/**
 * Matches the token after `?token=` in a link. Elsewhere, it matches a complete JWT, or its payload alone, if the file's ID in it
 * begins with the name of one of n8n's storages: `ImZpbGVzeXN0ZW` and the others are base64 of these names.
 */
const TOKEN =
	/(?<=\/binary-data\/signed\?token=)[\w.-]+|(?:eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\.)?eyJpZCI6(?:ImZpbGVzeXN0ZW|ImRhdGFiYXNlO|InMzO|ImF6dXJlO)[\w-]*(?:\.[\w-]*)?/g;

export const withoutTokens = (text: string): string => text.replace(TOKEN, '***');

const MAY_HOLD_TOKEN = /\/|eyJ|ey?$/;

/** No link is longer. */
const MAX_HELD = 5000;

/** Holds back a word that may contain a token until it ends. */
export class TokenFilter {
	private held = '';

	push(piece: string): string {
		const text = this.held + piece;
		const [word] = /(?<![!-~])[!-~]*$/.exec(text.slice(-MAX_HELD))!;
		const isHeld = word.length < MAX_HELD && MAY_HOLD_TOKEN.test(word);
		const end = isHeld ? text.length - word.length : text.length;
		this.held = text.slice(end);
		return withoutTokens(text.slice(0, end));
	}

	end(): string {
		const rest = withoutTokens(this.held);
		this.held = '';
		return rest;
	}
}

type TextChunk = { type: string; [field: string]: unknown };

type Delta = [chunk: TextChunk, field: string];

const DELTAS = ['delta', 'inputTextDelta'];

function removeTokens(deltas: Delta[]): void {
	const text = deltas.map(([chunk, field]) => chunk[field]).join('');
	if (withoutTokens(text) === text) return;
	const filter = new TokenFilter();
	for (const [index, [chunk, field]] of deltas.entries()) {
		chunk[field] = filter.push(chunk[field] as string) + (index === deltas.length - 1 ? filter.end() : '');
	}
}

/** `text-delta` and `text-end` with one ID belong to one part. */
const partOf = ({ type, id, toolCallId }: TextChunk): string =>
	JSON.stringify([type.replace(/-[a-z]+$/, ''), id ?? toolCallId]);

/** A token may be spread over the deltas of a part. */
export function chunksWithoutTokens(chunks: TextChunk[]): TextChunk[] {
	const open = new Map<string, Delta[]>();
	const cleaned = chunks.map((chunk) => {
		const field = DELTAS.find((name) => typeof chunk[name] === 'string');
		const part = partOf(chunk);
		const deltas = open.get(part) ?? [];
		if (!field) {
			removeTokens(deltas);
			open.delete(part);
			return changeTexts(chunk, withoutTokens);
		}
		const { [field]: delta, ...rest } = chunk;
		const result: TextChunk = { ...changeTexts(rest as TextChunk, withoutTokens), [field]: delta };
		deltas.push([result, field]);
		open.set(part, deltas);
		return result;
	});
	for (const deltas of open.values()) removeTokens(deltas);
	return cleaned;
}
