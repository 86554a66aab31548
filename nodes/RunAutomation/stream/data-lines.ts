import { createParser } from 'eventsource-parser';

export interface DataLineHandlers {
	/** The value of one `data:` line, called as soon as the line's end has arrived. */
	onLine(value: string): void;
	/** A blank line, or the end of the stream: what follows belongs to another event. */
	onEventEnd(): void;
	/** A line that is no field of an event stream, shortened to 20 characters. */
	onUnknownField(name: string): void;
}

export interface DataLineReader {
	/** Takes the next bytes, cut anywhere. */
	write(bytes: Uint8Array): void;
	/** Says that no more bytes will come. A last line without an end still counts. */
	end(): void;
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Makes a decoder of UTF-8 that may be cut anywhere, for which the engine's own, six times slower, is needed only where
 * a character may be cut in two: not after a block that ends in ASCII, as nearly all do.
 */
function createDecoder(): (bytes?: Uint8Array) => string {
	const whole = new TextDecoder('utf-8', { ignoreBOM: true });
	const cut = new TextDecoder('utf-8', { ignoreBOM: true });
	let isCut = false;
	let isStart = true;

	const decode = (bytes?: Uint8Array) => {
		const endsInAscii = !bytes || bytes[bytes.length - 1] < 0x80;
		if (endsInAscii && !isCut) return whole.decode(bytes);
		isCut = !endsInAscii;
		return cut.decode(bytes, { stream: isCut });
	};

	return (bytes) => {
		const text = decode(bytes);
		if (!isStart || text === '') return text;
		isStart = false;
		return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
	};
}

/**
 * Reads the `data:` lines of a byte stream, for both framings of the service: events separated by a blank line
 * (Server-Sent Events), and one payload per `data:` line with no blank line between them (contract, section 6.2).
 *
 * `eventsource-parser` knows the first framing and hands an event over at its blank line. To hand a line over as soon
 * as its end is here, a blank line is added after the last complete line of each write; whether the event really ended
 * there is told by what the stream brings next.
 */
export function createDataLineReader(handlers: DataLineHandlers): DataLineReader {
	const decode = createDecoder();
	let blankLineIsOurs = false;
	let eventIsOpen = false;
	let isMidLine = false;
	let skipLineFeed = false;
	let eventHasEnded = false;

	const parser = createParser({
		onEvent: ({ data }) => {
			if (data.includes('\n')) {
				for (const line of data.split('\n')) handlers.onLine(line);
			} else {
				handlers.onLine(data);
			}
			if (!blankLineIsOurs) endEvent();
		},
		onError: (error) => {
			if (error.type === 'unknown-field') handlers.onUnknownField(error.field ?? '');
		},
	});
	// The parser looks for a byte-order mark in the first text it is fed; the decoder has removed it already.
	parser.feed('');

	const endEvent = () => {
		eventIsOpen = false;
		eventHasEnded = true;
		handlers.onEventEnd();
	};

	/** All line ends as LF; a CR LF pair may be cut in two by the network. */
	const normalizeLineEnds = (text: string): string => {
		let rest = text;
		if (skipLineFeed && rest !== '') {
			skipLineFeed = false;
			if (rest.startsWith('\n')) rest = rest.slice(1);
		}
		if (!rest.includes('\r')) return rest;
		skipLineFeed = rest.endsWith('\r');
		return rest.replace(/\r\n?/g, '\n');
	};

	const dispatchOpenEvent = () => {
		blankLineIsOurs = true;
		parser.feed('\n');
		blankLineIsOurs = false;
		eventIsOpen = true;
	};

	/** Reads on to the end of the open event, if it comes. The parser is silent about it where no further data line does. */
	const finishOpenEvent = (text: string): string => {
		const startsBlank = !isMidLine && text.startsWith('\n');
		const lastLine = startsBlank ? -1 : text.indexOf('\n\n');
		if (!startsBlank && lastLine === -1) return text;
		const end = lastLine + 2;
		eventHasEnded = false;
		parser.feed(text.slice(0, end));
		if (!eventHasEnded) endEvent();
		isMidLine = false;
		return text.slice(end);
	};

	const feed = (decoded: string) => {
		let text = normalizeLineEnds(decoded);
		if (eventIsOpen && text !== '') text = finishOpenEvent(text);
		if (text === '') return;
		const completeLength = text.lastIndexOf('\n') + 1;
		if (completeLength === 0) {
			parser.feed(text);
			isMidLine = true;
			return;
		}
		eventIsOpen = false;
		parser.feed(completeLength === text.length ? text : text.slice(0, completeLength));
		const endsWithBlankLine = completeLength === 1 ? !isMidLine : text.charAt(completeLength - 2) === '\n';
		if (!endsWithBlankLine) dispatchOpenEvent();
		isMidLine = completeLength < text.length;
		if (isMidLine) parser.feed(text.slice(completeLength));
	};

	return {
		write: (bytes) => feed(decode(bytes)),
		end: () => {
			feed(decode());
			if (isMidLine) feed('\n');
			if (eventIsOpen) endEvent();
		},
	};
}
