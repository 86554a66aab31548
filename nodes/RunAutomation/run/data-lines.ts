import { createParser } from 'eventsource-parser';

/** A line end without a blank line next to it: CR, or a single LF. */
const LINE_END = /\r|(?<!\n)\n(?!\n)/g;

/**
 * Reads the `data:` lines of a byte stream, for both framings of the service: events separated by a blank line
 * (Server-Sent Events), and one payload per `data:` line with no blank line between them.
 *
 * `eventsource-parser` emits an event at its blank line. Here every line is followed by a blank line, so that each line is
 * an event and is emitted as soon as its end has been received; the parser ignores further blank lines.
 *
 * @param onLine called with the value of each `data:` line
 */
export function createDataLineReader(onLine: (value: string) => void) {
	const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	// Detects damaged bytes: U+FFFD alone proves nothing, because a server may send it.
	const strictDecoder = new TextDecoder('utf-8', { fatal: true });
	const parser = createParser({ onEvent: ({ data }) => onLine(data) });
	let isStart = true;
	let isDamaged = false;
	// The parser would remove the letters "ï»¿" from the beginning, which it takes for a byte-order mark.
	parser.feed('\n');

	const feed = (bytes: Uint8Array, isCut: boolean) => {
		try {
			if (!isDamaged) strictDecoder.decode(bytes, { stream: isCut });
		} catch {
			isDamaged = true;
		}
		const text = decoder.decode(bytes, { stream: isCut });
		if (text === '') return;
		const withoutMark = isStart && text.startsWith('\uFEFF') ? text.slice(1) : text;
		isStart = false;
		parser.feed(withoutMark.replace(LINE_END, '\n\n'));
	};

	return {
		/** Takes the next bytes, cut anywhere. */
		write: (bytes: Uint8Array) => {
			// The engine decodes six times faster if no character can be cut at the end, as in nearly all blocks.
			const isCut = (bytes.at(-1) ?? 0x80) >= 0x80;
			feed(bytes, isCut);
		},
		/** Reports the end of the bytes. A last line without an end still counts. */
		end: () => {
			feed(new Uint8Array(), false);
			parser.feed('\n\n');
		},
		/** Whether some bytes were not UTF-8, and became U+FFFD. */
		get isDamaged() {
			return isDamaged;
		},
	};
}
