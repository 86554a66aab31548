/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { operate, runAutomation } from '../engine/run-node';

// What becomes of a start if there is no connection, with real sockets and certificates: nothing was sent, so that it may be sent
// again. The reason is in the words of Node.js.

const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };
const stops: Array<() => void> = [];
afterEach(() => {
	stops.splice(0).forEach((stop) => stop());
	jest.restoreAllMocks();
	delete process.env.HTTPS_PROXY;
});

async function listen(server: Server): Promise<string> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const sockets = new Set<Socket>();
	server.on('connection', (socket) => sockets.add(socket));
	stops.push(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type OnData = (socket: Socket) => void;

const listenFor = async (onData: OnData) =>
	await listen(createServer((socket) => socket.on('error', () => {}).once('data', () => onData(socket))));

/** Accepts connections, and never says anything. */
const silent = async () => await listen(createServer((socket) => socket.on('error', () => {}).resume()));

const reset: OnData = (socket) => void socket.resetAndDestroy();
const end: OnData = (socket) => void socket.end();
const say =
	(bytes: string | Uint8Array): OnData =>
	(socket) =>
		void socket.end(bytes);
/** A fatal TLS alert. */
const alert = (code: number) => say(Buffer.from([0x15, 3, 3, 0, 2, 2, code]));

/** What both nodes say of a start at a URL. */
async function startAt(automationUrl: string, options = {}) {
	const target = { baseUrl: 'https://api.example.com', automationUrl, apiKey: 'some-api-key' };
	const { error } = await runAutomation(target, { query: 'Do it', options });
	if (Object.keys(options).length > 0) return error!;
	const other = (await operate(target, start)).error!;
	expect(other).toMatchObject({ message: error!.message, description: error!.description });
	return error!;
}

const NOT_SENT = /^No run was started\. Check 'Automation URL' in the credential, and that n8n can reach it$/;
const LOGIN = /^Check the user name and the password in the URL of n8n's proxy \(HTTPS_PROXY\).* billed, too$/;
const PROXY = /^No run was started\. Check n8n's proxy \(HTTPS_PROXY\), and that it allows connections to the service$/;

// dilame/instagram_mqtt#10, ethers.js#4884, n8n#13475, axios#5636
it.each<[string, OnData]>([
	['resets the connection', reset],
	['ends the connection', end],
	...[40, 48, 70, 112].map((code): [string, OnData] => [`sends the alert ${code}`, alert(code)]),
])('a start is not sent to a server that %s during the TLS handshake', async (_what, onData) => {
	const { message, description } = await startAt(`https://${await listenFor(onData)}`);
	expect([message, description]).toEqual([
		expect.stringMatching(/^No response from the service: /),
		expect.stringMatching(NOT_SENT),
	]);
});

it.each([reset, end])('a start may have been sent if the connection breaks after it: %s', async (onData) => {
	const { message, description } = await startAt(`http://${await listenFor(onData)}`);
	expect(message).toMatch(/^No response from the service: (socket hang up|read ECONNRESET)$/);
	expect(description).toMatch(/^The run may have started/);
});

it.each([
	['idleTimeout', 'The service sent no data for 0.05 seconds'],
	['totalTimeout', 'The run took longer than 0.05 seconds'],
])('a TLS handshake that never ends starts nothing: %s', async (limit, reason) => {
	const { message, description } = await startAt(`https://${await silent()}`, { [limit]: 0.05 });
	expect(message).toContain(reason);
	expect(description).toMatch(NOT_SENT);
});

describe('with HTTPS_PROXY', () => {
	const required = 'HTTP/1.1 407 Required\r\nProxy-Authenticate: Basic realm="x"\r\ncontent-length: 0\r\n\r\n';
	// TooTallNate/proxy-agents#233, npm/cli#2888, n8n#11758, node-red#1145
	it.each<[string, () => Promise<string>, RegExp]>([
		['ends the connection', async () => await listenFor(end), PROXY],
		['resets the connection', async () => await listenFor(reset), PROXY],
		['does not respond', async () => await Promise.resolve('127.0.0.1:1'), PROXY],
		['wants another password', async () => await listenFor(say(required)), LOGIN],
	])('names the proxy if it %s', async (_what, proxy, advice) => {
		process.env.HTTPS_PROXY = `http://user:wrong@${await proxy()}`;
		expect((await startAt('https://automation.example.com')).description).toMatch(advice);
	});

	it('a start is not sent if the tunnel is never there', async () => {
		process.env.HTTPS_PROXY = `http://${await silent()}`;
		const { description } = await startAt('https://automation.example.com', { idleTimeout: 0.05 });
		expect(description).toMatch(/^No run was started\. /);
	});

	// psf/requests#2846, insomnia#2512
	it.each(['a#b', 'a/b'])('a start is not sent if the URL of the proxy is not valid: %s', async (password) => {
		process.env.HTTPS_PROXY = `http://user:${password}@proxy.example:8080`;
		const { message, description } = await startAt('https://automation.example.com');
		expect(message).toBe('No response from the service: Invalid URL');
		expect(description).toMatch(/^No run was started\. Percent-encode/);
		expect(JSON.stringify([message, description])).not.toContain(password);
	});
});
