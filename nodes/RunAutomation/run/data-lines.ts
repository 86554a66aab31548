/** Each `data:` line is a payload of its own, whether or not a blank line follows it (service-api.md, section 6). */
export class DataLineReader {
	/** Bytes that are not UTF-8 became U+FFFD, which a server may send, too. */
	isDamaged = false;
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	private readonly strictDecoder = new TextDecoder('utf-8', { fatal: true });
	private isStart = true;
	private endsWithReturn = false;
	private begun = '';
	/** Of the next line. */
	private event = '';

	constructor(private readonly onLine: (value: string, event: string) => void) {}

	write(bytes: Uint8Array): void {
		// The engine decodes six times faster if no character can be cut at the end, as in nearly all blocks.
		this.decode(bytes, (bytes.at(-1) ?? 0x80) >= 0x80);
	}

	/** A last line without an end still counts. */
	end(): void {
		this.decode(new Uint8Array(), false);
		this.readLines('\n');
	}

	private decode(bytes: Uint8Array, isCut: boolean): void {
		try {
			if (!this.isDamaged) this.strictDecoder.decode(bytes, { stream: isCut });
		} catch {
			this.isDamaged = true;
		}
		const text = this.decoder.decode(bytes, { stream: isCut });
		if (text === '') return;
		// The decoder would remove a byte-order mark of every block.
		const withoutMark = this.isStart && text.startsWith('\uFEFF') ? text.slice(1) : text;
		this.isStart = false;
		this.readLines(this.withLineFeeds(withoutMark));
	}

	/** Text with LF for CR and CRLF, which may be cut. */
	private withLineFeeds(text: string): string {
		const rest = this.endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
		this.endsWithReturn = text.endsWith('\r');
		return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
	}

	private readLines(text: string): void {
		let start = 0;
		for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
			const { begun } = this;
			this.begun = '';
			if (begun === '') this.readLine(text, start, end);
			else this.readLine(begun + text.slice(start, end), 0, begun.length + end - start);
			start = end + 1;
		}
		this.begun += text.slice(start);
	}

	private readLine(text: string, start: number, end: number): void {
		const { event } = this;
		if (text.startsWith('data:', start)) {
			this.event = '';
			this.onLine(text.slice(text.startsWith(' ', start + 5) ? start + 6 : start + 5, end), event);
		} else if (text.startsWith('event:', start)) this.event = text.slice(start + 'event:'.length, end).trim();
		else if (start === end) this.event = '';
		else if (text.slice(start, end) === 'data') this.onLine('', event);
	}
}
