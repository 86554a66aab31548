/** The beginning of each byte block is decoded as text; only the first may begin with a byte-order mark. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads the `data:` lines of a byte stream. Each is a payload of its own, whether a blank line follows it (Server-Sent Events)
 * or the next `data:` line (service-api.md, section 6).
 */
export class DataLineReader {
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

	/** Detects damaged bytes: U+FFFD alone proves nothing, because a server may send it. */
	private readonly strictDecoder = new TextDecoder('utf-8', { fatal: true });

	private isStart = true;

	private endsWithReturn = false;

	/** The last line so far, whose end has not been received. */
	private begun = '';

	/** The name of the event whose data comes next. */
	private event = '';

	/** Whether some bytes were not UTF-8, and became U+FFFD. */
	isDamaged = false;

	/** @param onLine called with the value of each `data:` line as soon as its end has been received, and with its event's name */
	constructor(private readonly onLine: (value: string, event: string) => void) {}

	/** Takes the next bytes, cut anywhere. */
	write(bytes: Uint8Array): void {
		// The engine decodes six times faster if no character can be cut at the end, as in nearly all blocks.
		this.decode(bytes, (bytes.at(-1) ?? 0x80) >= 0x80);
	}

	/** Reports the end of the bytes. A last line without an end still counts. */
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
		const withoutMark = this.isStart && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
		this.isStart = false;
		this.readLines(this.withLineFeeds(withoutMark));
	}

	/** Text with LF for CR and CRLF, which may be cut in the middle. */
	private withLineFeeds(text: string): string {
		const rest = this.endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
		this.endsWithReturn = text.endsWith('\r');
		return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
	}

	private readLines(text: string): void {
		let start = 0;
		for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
			const line = this.begun + text.slice(start, end);
			this.begun = '';
			start = end + 1;
			this.readLine(line);
		}
		this.begun += text.slice(start);
	}

	private readLine(line: string): void {
		if (line.startsWith('data:')) {
			const { event } = this;
			this.event = '';
			this.onLine(line.slice(line.startsWith(' ', 5) ? 6 : 5), event);
		} else if (line.startsWith('event:')) this.event = line.slice('event:'.length).trim();
		else if (line === '') this.event = '';
		else if (line === 'data') this.onLine('', '');
	}
}
