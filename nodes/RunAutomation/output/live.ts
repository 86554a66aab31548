import type { IExecuteFunctions } from 'n8n-workflow';

import { shorten } from '../../text/shorten';
import type { LiveKind } from '../parameters/run-request';
import type { Chunk } from '../stream';

/** Milliseconds without anything sent after which an empty text is: proxies cut quiet connections at about 100 s. */
const HEARTBEAT = 25_000;

/** Characters of a data part or a reason that are shown live. */
const MAX_LINE = 500;

/** A quote in Markdown. Without the blank line after it, the text that follows would be part of it. */
const line = (content: string) => `\n> ${shorten(content, MAX_LINE).replace(/\s*[\r\n]+\s*/g, '\n> ')}\n\n`;

/** The server decides what stands in a field: an object that brings its own `toString` would throw. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** What is shown of a chunk, or undefined where nothing is. */
function contentOf(chunk: Chunk, kinds: LiveKind[]): string | undefined {
	if (chunk.type === 'text-delta') return kinds.includes('text') ? textOf(chunk.delta) : undefined;
	if (kinds.includes('tools')) {
		if (chunk.type === 'tool-input-available') return line(`Tool: ${textOf(chunk.toolName)}`);
		if (chunk.type === 'tool-output-error') return line(`Tool without result: ${textOf(chunk.errorText)}`);
	}
	if (kinds.includes('data') && chunk.type.startsWith('data-')) {
		return line(`${chunk.type.slice('data-'.length)}: ${JSON.stringify(chunk.data ?? null)}`);
	}
	return undefined;
}

/**
 * Sends what a run does to whoever waits for it, where n8n streams: in a chat, or in a webhook in streaming mode. The
 * order is the one of n8n's own agent: begin, items, end. Where n8n does not stream, nothing is done.
 */
export class LiveOutput {
	private readonly isOn: boolean;

	private lastSent = Date.now();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		private readonly kinds: LiveKind[],
	) {
		// Older versions of n8n, and the context of tools, have no streaming at all.
		this.isOn = 'isStreaming' in context && context.isStreaming();
		if (this.isOn) this.send('begin');
	}

	onChunk(chunk: Chunk): void {
		if (!this.isOn) return;
		const content = contentOf(chunk, this.kinds);
		if (content) this.send('item', content);
	}

	onTick(): void {
		if (this.isOn && Date.now() - this.lastSent >= HEARTBEAT) this.send('item', '');
	}

	/** Tells why a run is not complete, if the node goes on with the partial result or an error item. */
	showReason(reason: string | undefined): void {
		if (this.isOn && reason) this.send('item', line(reason));
	}

	/** Not called where the node throws: n8n sends the error then. */
	end(): void {
		if (this.isOn) this.send('end');
	}

	private send(type: 'begin' | 'item' | 'end', content?: string): void {
		this.lastSent = Date.now();
		// Whoever watches a run must not be able to end it: it is paid for. The promise that n8n gives is not in its types.
		const sent = async () => await (this.context.sendChunk(type, this.itemIndex, content) as unknown);
		sent().catch(() => {});
	}
}
