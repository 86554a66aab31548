/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { letRead } from '../support/let-read';

type Headers = Record<string, string>;

/** What one start of a run can do with its connection: scenarios speak to the client through this only. */
export class Wire {
	private readonly done = new AbortController();

	/** Aborted when the connection is gone, from either side. */
	readonly signal = this.done.signal;

	/** True as soon as the service has sent (or done) all it meant to. */
	completed = false;

	constructor(
		private readonly response: ServerResponse,
		private readonly threadId: string,
		private readonly threadUrl: string,
		private readonly check: (status: number, headers: Headers, body?: unknown) => void,
	) {
		response.once('close', () => this.done.abort());
	}

	/** Sends the headers of a streamed run at once. */
	open() {
		const kind = { 'content-type': 'text/event-stream', 'x-vendor-ai-ui-message-stream': 'v1' };
		const headers = { ...kind, 'cache-control': 'no-cache', 'x-thread-id': this.threadId };
		this.check(200, headers);
		this.response.writeHead(200, headers).flushHeaders();
	}

	/** Sends text and waits while the client reads slower than we write. */
	async send(text: string): Promise<void> {
		if (this.signal.aborted || this.response.write(text)) return;
		await once(this.response, 'drain', { signal: this.signal }).catch(() => undefined);
	}

	/** Nothing more will come, though the socket may stay open. */
	complete() {
		if (!this.signal.aborted) this.completed = true;
	}

	/** Ends the body as HTTP wants it. */
	end(text?: string) {
		this.complete();
		this.response.end(text);
	}

	/** Destroys the socket; the other side has time to receive what was sent. */
	async cut(): Promise<void> {
		await letRead();
		this.complete();
		this.response.destroy();
	}

	/** Waits; ends early when the connection is gone. */
	async sleep(milliseconds: number): Promise<void> {
		await sleep(milliseconds, undefined, { signal: this.signal }).catch(() => undefined);
	}

	/** Waits until the connection is gone. */
	async silence(): Promise<void> {
		if (!this.signal.aborted) await once(this.response, 'close');
	}

	/** Responds to a detached start. */
	detached() {
		const body = { thread_id: this.threadId, url: this.threadUrl, status: 'started' };
		const headers = { 'x-thread-id': this.threadId };
		this.check(202, headers, body);
		this.json(202, body, headers);
	}

	/** Responds with JSON, or with an empty body, instead of a stream. */
	json(status: number, body?: unknown, headers: Headers = {}) {
		const type = body === undefined ? {} : { 'content-type': 'application/json' };
		this.response.statusCode = status;
		this.response.setHeaders(new Map(Object.entries({ ...type, ...headers })));
		this.end(JSON.stringify(body));
	}
}
