/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import { letRead } from '../support/let-read';
import { within } from '../support/within';

/** What a fault does with the socket of one request, whose request line and headers are the head. */
export type Fault = (line: Line, head: string) => Promise<void>;

/** Seconds within which every connection is closed, even on a busy machine. */
const PATIENCE_S = 60;

/** What was seen at the sockets of one server. */
interface Seen {
	/** Bytes that were taken by the client or by the network on the way. */
	sent: number;
	/** The request line and headers of each request. */
	heads: string[];
}

/** The heads of the whole requests in what a socket has received, and what follows them. */
function wholeRequests(text: string, heads: string[] = []): { heads: string[]; rest: string } {
	const [head, ...others] = text.split('\r\n\r\n');
	const after = others.join('\r\n\r\n');
	const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
	if (others.length === 0 || after.length < length) return { heads, rest: text };
	return wholeRequests(after.slice(length), [...heads, head]);
}

/** The socket of one request, bytes only: nothing of an HTTP library stands between. */
function lineOf(socket: Socket, seen: Seen) {
	const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
	/** Sends bytes and waits as long as the client reads slower; false when the client is gone. */
	const send = async (bytes: string | Uint8Array) => {
		if (socket.destroyed) return false;
		seen.sent += bytes.length;
		if (!socket.write(bytes)) {
			const drained = new Promise<void>((resolve) => socket.once('drain', resolve));
			await Promise.race([drained, closed]);
		}
		return !socket.destroyed;
	};
	/** Sends a response head: the status line and headers; nothing is added. */
	const head = async (status: string, headers: Record<string, string> = {}) => {
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
		return await send(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`);
	};
	/** Resets the connection, after the client has read what was sent. */
	const reset = async () => {
		await letRead();
		socket.resetAndDestroy();
	};
	return { send, head, reset, end: () => void socket.end() };
}

export type Line = ReturnType<typeof lineOf>;

/** A server that answers every request with one fault, and counts requests and connections at the socket. */
export async function serveFault(fault: Fault) {
	const seen: Seen = { sent: 0, heads: [] };
	const sockets = new Set<Socket>();
	// What is sent leaves at once.
	const server = createServer({ noDelay: true }, (socket) => {
		let received = '';
		sockets.add(socket);
		socket.on('error', () => {});
		socket.on('close', () => sockets.delete(socket));
		// Latin-1 keeps one character for each byte.
		socket.on('data', (bytes) => {
			const { heads, rest } = wholeRequests(received + bytes.toString('latin1'));
			received = rest;
			seen.heads.push(...heads);
			for (const head of heads) void fault(lineOf(socket, seen), head);
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		seen,
		/** Whether every connection is closed, now or soon. */
		closed: async () => {
			const closing = [...sockets].map(async (socket) => await new Promise((resolve) => socket.once('close', resolve)));
			return await within(PATIENCE_S, 'a connection', Promise.all(closing)).then(
				() => true,
				() => false,
			);
		},
		stop: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
