import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { TokenFilter } from '../../shared/file-tokens';
import { quietly } from '../../shared/record-runs';
import { parseUrl } from '../../shared/url';
import { shorten } from '../../shared/text';
import type { RunRequest } from '../form/run-request';
import type { Chunk } from '../run';

/** Milliseconds without output after which an empty text is sent. Proxies close silent connections after about 100 s. */
const HEARTBEAT = 25_000;

/** Milliseconds between two checks for that, and the lifetime of the last timer after the end. */
const LOOK = 1000;

const MAX_LINE = 500;

/** A quote in Markdown. Without the blank line after it, the text that follows would be part of it. */
const line = (content: string) => `\n> ${shorten(content, MAX_LINE).replace(/\s*[\r\n]\s*/g, '\n> ')}\n\n`;

/** A field may contain anything that the server sends: an object's own `toString` could throw. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The host and path of the page that a tool opens. Nothing else of its input is shown, because it may contain a password. */
function pageOf(input: unknown): string {
	const { url, href } = Object(input) as { url?: unknown; href?: unknown };
	const page = parseUrl(textOf(url) || textOf(href));
	return page?.host ? ` ${page.host}${page.pathname}` : '';
}

/** The beginning of JSON in a reply, including a code fence before it, and a possible start of that. */
const JSON_BEGINS = /[`~]{3,9}[ \t]{0,9}json|(?:[`~]{3,9}\w{0,20}\s{0,99})?(?:\{\s{0,99}["}]|\[\s{0,99}\{)/i;
const MAY_BEGIN = /(?:[`~]{1,9}[ \t]{0,9}\w{0,20}\s{0,99})?(?:[{[]\s{0,99})?$/;

/** The part of a run's texts that viewers see: without tokens, and without the JSON of rows. */
export class ShownText {
	private held = '';

	private hasJson = false;

	private readonly tokens = new TokenFilter();

	constructor(private readonly hidesJson: boolean) {}

	/** Adds the next piece of a text, and returns the text that may be shown. */
	push(piece: string): string {
		if (!this.hidesJson) return this.tokens.push(piece);
		if (this.hasJson) return '';
		const text = this.held + piece;
		const start = text.search(JSON_BEGINS);
		this.hasJson = start >= 0;
		const end = this.hasJson ? start : text.search(MAY_BEGIN);
		this.held = this.hasJson ? '' : text.slice(end);
		return this.tokens.push(text.slice(0, end));
	}

	/** Ends a text, and returns the text that was held back. */
	end(): string {
		const rest = this.tokens.push(this.held) + this.tokens.end();
		this.held = '';
		this.hasJson = false;
		return rest;
	}
}

/**
 * Streams a run to a viewer, if n8n streams: in a chat, or in a webhook in streaming mode. The order is that of
 * n8n's own agent: begin, items, end. If n8n does not stream, nothing is done.
 */
export class LiveOutput {
	private isOn: boolean;

	private lastSent = performance.now();

	private readonly text: ShownText;

	/** Names of the tools by the ID of their call: a chunk that reports a failed tool has only the ID. */
	private readonly toolNames = new Map<unknown, string>();

	private hasText = false;

	private beginsText = false;

	/** @param mask masks secrets in a reason */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly request: Pick<RunRequest, 'itemIndex' | 'liveKinds' | 'operation'>,
		private readonly mask: (text: string) => string,
	) {
		this.text = new ShownText(request.operation === 'rows');
		// Older versions of n8n have no streaming. A tool streams its text to the chat of its agent.
		this.isOn = request.operation !== 'background' && 'isStreaming' in context && context.isStreaming();
		this.send('begin');
		void this.keepAlive();
	}

	/** Never throws: a viewer must not end a run. */
	readonly onChunk = (chunk: Chunk): void => {
		if (this.isOn) quietly(() => this.showChunk(chunk));
	};

	showLine(sentence: string): void {
		this.send('item', line(sentence));
	}

	/** Begins to show another run of the same item. */
	nextRun(): void {
		this.show(this.text.end());
	}

	/** Ends the output. If the workflow continues after an error or with a partial result, the chat shows why. */
	end(reason: string | undefined): void {
		this.show(this.text.end());
		if (reason) this.showLine(this.mask(reason));
		this.send('end');
		this.isOn = false;
	}

	/** Adds a blank line below the text: n8n itself then sends the error that stops the node. */
	breakOff(): void {
		this.show(this.text.end());
		if (this.hasText) this.send('item', '\n\n');
		this.isOn = false;
	}

	/** Sends a heartbeat until the end, during any wait: the run, a busy service, a download. */
	private async keepAlive(): Promise<void> {
		while (this.isOn) {
			if (performance.now() - this.lastSent >= HEARTBEAT) this.send('item', '');
			await sleep(LOOK);
		}
	}

	private showChunk({ type, delta, toolCallId, toolName, input, errorText, data }: Chunk): void {
		const { toolNames } = this;
		const { liveKinds: kinds } = this.request;
		if (type === 'text-start') this.beginsText = true;
		else if (type === 'text-delta' && kinds.includes('text')) {
			this.show(this.text.push(textOf(delta)));
		} else if (type === 'text-end') {
			this.show(this.text.end());
		} else if (type === 'tool-input-available' && kinds.includes('tools')) {
			const name = this.mask(textOf(toolName));
			toolNames.set(toolCallId, name);
			this.showLine(`Tool: ${name}${this.mask(pageOf(input))}`);
		} else if (type === 'tool-output-error' && kinds.includes('tools')) {
			this.showLine(`${toolNames.get(toolCallId) ?? 'A tool'} failed: ${this.mask(textOf(errorText))}`);
		} else if (type.startsWith('data-') && kinds.includes('data')) {
			this.showLine(this.mask(`${type.slice('data-'.length)}: ${JSON.stringify(data ?? null)}`));
		}
	}

	/** Shows a piece of text, with a blank line between two texts, because texts of two steps would run into each other. */
	private show(text: string): void {
		if (!text) return;
		const gap = this.beginsText && this.hasText ? '\n\n' : '';
		this.hasText = true;
		this.beginsText = false;
		this.send('item', gap + text);
	}

	private send(type: 'begin' | 'item' | 'end', content?: string): void {
		if (!this.isOn) return;
		this.lastSent = performance.now();
		// A viewer who leaves must not end a run that is paid for. n8n returns a promise, but its types do not say so.
		const sent = async () => await (this.context.sendChunk(type, this.request.itemIndex, content) as unknown);
		sent().catch(() => {});
	}
}
