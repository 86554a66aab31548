import { brief } from './brief';
import { createChunkParser, parseChunk, type Chunk } from './chunk';
import { createDataLineReader } from './data-lines';

export interface ChunkHandlers {
	onChunk(chunk: Chunk): void;
	/** Something on the stream that could not be read; the reading goes on. */
	onWarning(text: string): void;
	/** The literal payload `[DONE]`. What comes after it is not read. */
	onDone(): void;
}

export interface ChunkReader {
	/** Takes the next bytes, cut anywhere; every chunk whose line has ended is handed over before it returns. */
	write(bytes: Uint8Array): void;
	/** Says that no more bytes will come. */
	end(): void;
}

/** Characters of an unreadable payload that are kept to be read together with the lines that follow it. */
const MAX_PENDING = 64 * 1024 * 1024;

const quote = (text: string) => JSON.stringify(brief(text));

/**
 * Reads the chunks of a UI message stream (contract, section 6.2). A line that is a chunk by itself is handed over at
 * once. Lines that are not are kept until their event ends, or a line comes that is: only together they may be one.
 */
export function createChunkReader(handlers: ChunkHandlers): ChunkReader {
	const parseLine = createChunkParser();
	let pending: string[] = [];
	let pendingLength = 0;
	let isDone = false;

	const flush = () => {
		if (pending.length === 0) return;
		const text = pending.join('\n');
		const chunk = pending.length > 1 ? parseChunk(text) : undefined;
		pending = [];
		pendingLength = 0;
		if (chunk) handlers.onChunk(chunk);
		else if (text.trim() === '') handlers.onWarning('Skipped an empty data line');
		else handlers.onWarning(`Skipped a data line that is not a chunk: ${quote(text)}`);
	};

	const reader = createDataLineReader({
		onLine: (line) => {
			if (isDone) return;
			const chunk = parseLine(line);
			if (chunk) {
				flush();
				handlers.onChunk(chunk);
			} else if (line.trim() === '[DONE]') {
				flush();
				isDone = true;
				handlers.onDone();
			} else {
				if (pendingLength + line.length > MAX_PENDING) flush();
				pending.push(line);
				pendingLength += line.length;
			}
		},
		onEventEnd: flush,
		onUnknownField: (name) => {
			if (!isDone) handlers.onWarning(`Skipped a line that is not a data line: ${quote(name)}`);
		},
	});

	return {
		write: (bytes) => reader.write(bytes),
		end: () => {
			reader.end();
			flush();
		},
	};
}
