import { createParser } from 'eventsource-parser';

const NO_BYTES = Buffer.alloc(0);

/** How often U+FFFD is in some bytes, which a server may send as well. */
const countMarks = (bytes: Buffer) => bytes.toString('latin1').split('\xef\xbf\xbd').length;

/** A line end without a blank line next to it: CR, or a single LF. */
const LINE_END = /\r|(?<!\n)\n(?!\n)/g;

/** Whether a text has no line end but a blank line at its end: one event, as a fast look tells without that expression. */
const isOneEvent = (text: string): boolean =>
	text.indexOf('\n') === text.length - 2 && text.endsWith('\n') && !text.includes('\r');

/**
 * Reads the `data:` lines of a byte stream, for both framings of the service: events separated by a blank line
 * (Server-Sent Events), and one payload per `data:` line with no blank line between them.
 *
 * `eventsource-parser` hands over an event at its blank line. Here every line is followed by one, so that each line is
 * an event and is handed over as soon as its end has been received; further blank lines mean nothing to the parser.
 *
 * @param onLine called with the value of each `data:` line
 */
export function createDataLineReader(onLine: (value: string) => void) {
	const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	const parser = createParser({ onEvent: ({ data }) => onLine(data) });
	let isStart = true;
	let isDamaged = false;
	/** The last two bytes, if a character may be cut there. */
	let cut = NO_BYTES;
	// The parser would remove the letters "ï»¿" from the beginning, which it takes for a byte-order mark.
	parser.feed('\n');

	const feed = (text: string) => {
		if (text === '') return;
		const withoutMark = isStart && text.startsWith('\uFEFF') ? text.slice(1) : text;
		isStart = false;
		parser.feed(isOneEvent(withoutMark) ? withoutMark : withoutMark.replace(LINE_END, '\n\n'));
	};

	return {
		/** Takes the next bytes, cut anywhere. */
		write: (bytes: Uint8Array) => {
			// The engine decodes six times faster if no character can be cut at the end, as in nearly all blocks.
			const isCut = !(bytes[bytes.length - 1] < 0x80);
			const text = decoder.decode(bytes, { stream: isCut });
			if (text.includes('\uFFFD')) {
				isDamaged ||= text.split('\uFFFD').length > countMarks(Buffer.concat([cut, bytes]));
			}
			cut = isCut ? Buffer.concat([cut, bytes]).subarray(-2) : NO_BYTES;
			feed(text);
		},
		/** Says that no more bytes will come. A last line without an end still counts. */
		end: () => {
			feed(decoder.decode());
			parser.feed('\n\n');
		},
		/** Whether some bytes were no UTF-8, and became U+FFFD. */
		get isDamaged() {
			return isDamaged;
		},
	};
}
