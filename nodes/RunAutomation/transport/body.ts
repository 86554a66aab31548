/** The bytes of a response that n8n's client hands over as a stream. */
export type Body = AsyncIterable<Uint8Array>;

/** A streamed body, ready to be closed before its end: it then raises an error that nothing else would handle. */
export function bodyOf(stream: unknown): Body {
	const body = stream as Body & { on?(event: 'error', listener: () => void): void };
	body.on?.('error', () => {});
	return body;
}
