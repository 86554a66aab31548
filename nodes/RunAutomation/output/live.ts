// Shows a run in progress in a chat or streaming webhook. Whatever fails there ends no run.

import { sleep } from 'n8n-workflow';

import { TokenFilter } from '../../shared/mask/file-tokens';
import type { NodeInExecution } from '../../shared/n8n/execution';
import { quietly } from '../../shared/n8n/record-runs';
import { parseUrl } from '../../shared/values/url';
import { shorten } from '../../shared/values/text';
import type { RunRequest } from '../form/run-request';
import type { Chunk } from '../run/chunk';

/** Proxies close silent connections after about 100 s. */
const HEARTBEAT_MS = 25_000;
const LOOK_MS = 1000;

const MAX_LINE = 500;

/** The blank line keeps the next text out of the quote. */
const line = (content: string) => `\n> ${shorten(content, MAX_LINE).replace(/\s*[\r\n]\s*/g, '\n> ')}\n\n`;

/** An object's own `toString` could throw. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The rest of the input may contain a password. */
function pageOf(input: unknown): string {
	const { url, href } = Object(input) as { url?: unknown; href?: unknown };
	const page = parseUrl(textOf(url) || textOf(href));
	return page?.host ? ` ${page.host}${page.pathname}` : '';
}

export class LiveOutput {
	private isOn: boolean;
	private lastSent = performance.now();
	private readonly text = new TokenFilter();
	/** The keys are calls' IDs: an error has only the ID. */
	private readonly toolNames = new Map<unknown, string>();
	private hasText = false;
	private beginsText = false;

	constructor(
		private readonly node: NodeInExecution,
		private readonly request: Pick<RunRequest, 'itemIndex' | 'liveKinds' | 'operation' | 'secrets'>,
	) {
		this.isOn = node.execution.isStreaming && request.operation !== 'background';
		this.send('begin');
		void this.keepAlive();
	}

	showChunks(chunks: Chunk[]): void {
		for (const chunk of chunks) if (this.isOn) quietly(() => this.showChunk(chunk));
	}

	showLine(sentence: string): void {
		this.send('item', line(sentence));
	}

	/** @param reason why a result is partial or missing */
	end(reason: string | undefined, status: string | undefined): void {
		const { liveKinds, operation } = this.request;
		this.show(this.text.end());
		// The text has shown why a task is not done.
		const wasShown = status === 'not_done' && operation === 'result' && liveKinds.includes('text');
		if (reason && !wasShown) this.showLine(this.quote(reason));
		this.send('end');
		this.isOn = false;
	}

	/** n8n itself shows the error that stops the node. */
	breakOff(): void {
		this.show(this.text.end());
		if (this.hasText) this.send('item', '\n\n');
		this.isOn = false;
	}

	private quote(text: string): string {
		return this.request.secrets.quote(text, MAX_LINE);
	}

	private async keepAlive(): Promise<void> {
		while (this.isOn) {
			if (performance.now() - this.lastSent >= HEARTBEAT_MS) this.send('item', '');
			await sleep(LOOK_MS);
		}
	}

	private showChunk({ type, delta, toolCallId, toolName, input, errorText, data }: Chunk): void {
		const { liveKinds, operation } = this.request;
		// The text of rows is JSON, which nobody reads.
		const kinds = operation === 'rows' ? liveKinds.filter((kind) => kind !== 'text') : liveKinds;
		if (type === 'text-start') {
			// The text before it may have no end.
			this.show(this.text.end());
			this.beginsText = true;
		} else if (type === 'text-delta' && kinds.includes('text')) this.show(this.text.push(textOf(delta)));
		else if (type === 'text-end') this.show(this.text.end());
		else if (type === 'tool-input-available' && kinds.includes('tools')) {
			const name = this.quote(textOf(toolName));
			this.toolNames.set(toolCallId, name);
			this.showLine(`Tool: ${name}${this.quote(pageOf(input))}`);
		} else if (type === 'tool-output-error' && kinds.includes('tools')) {
			this.showLine(`${this.toolNames.get(toolCallId) ?? 'A tool'} failed: ${this.quote(textOf(errorText))}`);
		} else if (type.startsWith('data-') && kinds.includes('data')) {
			this.showLine(this.quote(`${type.slice('data-'.length)}: ${JSON.stringify(data ?? null)}`));
		}
	}

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
		// The promise, which n8n's types hide, rejects if the viewer has left.
		const sent = async () => await (this.node.context.sendChunk(type, this.request.itemIndex, content) as unknown);
		sent().catch(() => {});
	}
}
