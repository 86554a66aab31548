/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import { operate, runAutomation } from '../engine/run-node';

// What becomes of a start if there is no connection, with real sockets: nothing was sent, so that Retry On Fail may send it again.

const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };
const stops: Array<() => void> = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** A port at which each connection, and each of its pieces of data, is handled. */
async function listen(onData: (socket: Socket) => void): Promise<string> {
	const server = createServer((socket) => socket.on('error', () => {}).once('data', () => onData(socket)));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	stops.push(() => server.close());
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A TLS alert, fatal: handshake_failure. */
const ALERT = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
const reset = (socket: Socket) => void socket.resetAndDestroy();
const end = (socket: Socket) => void socket.end();

/** What both nodes say of a start at a URL. */
async function startAt(automationUrl: string) {
	const target = { baseUrl: 'https://api.example.com', automationUrl, apiKey: 'some-api-key' };
	const errors = [(await operate(target, start)).error!, (await runAutomation(target, { query: 'Do it' })).error!];
	expect(errors[1]).toMatchObject({ message: errors[0].message, description: errors[0].description });
	return errors[0];
}

const CHECK_URL = "No run was started. Check 'Automation URL' in the credential, and that n8n can reach it";
const HANDSHAKE = 'No response from the service: the TLS handshake failed';

// dilame/instagram_mqtt#10, ethers.js#4884, n8n#13475, axios#5636
it.each<[string, (socket: Socket) => void]>([
	['resets the connection', reset],
	['ends the connection', end],
	['sends an alert', (socket) => void socket.end(ALERT)],
])('a start is not sent to a server that %s during the TLS handshake', async (_what, onData) => {
	const error = await startAt(`https://${await listen(onData)}`);
	expect([error.message, error.description]).toEqual([HANDSHAKE, CHECK_URL]);
});

it.each([reset, end])('a start may have been sent if the connection breaks after it: %s', async (onData) => {
	const error = await startAt(`http://${await listen(onData)}`);
	expect(error.message).toBe('No response from the service: connection reset');
	expect(error.description).toMatch(/^The run may have started/);
});

describe('with HTTPS_PROXY', () => {
	const PROXY =
		/^No run was started\. Check n8n's proxy \(HTTPS_PROXY\), and that it allows connections to the service$/;
	afterEach(() => void delete process.env.HTTPS_PROXY);

	// TooTallNate/proxy-agents#233
	it.each<[string, (socket: Socket) => void, string]>([
		['ends', end, 'No response from the service: the proxy closed the connection'],
		['resets', reset, 'No response from the service: connection reset'],
	])('a start is not sent if the proxy %s the connection before there is a tunnel', async (_what, onData, message) => {
		process.env.HTTPS_PROXY = `http://${await listen(onData)}`;
		const error = await startAt('https://automation.example.com');
		expect([error.message, error.description]).toEqual([message, expect.stringMatching(PROXY)]);
	});

	it('a start is not sent if the proxy does not respond to the connection', async () => {
		process.env.HTTPS_PROXY = 'http://127.0.0.1:1';
		expect((await startAt('https://automation.example.com')).description).toMatch(PROXY);
	});

	it('a start that the proxy wants a password for is rejected, and names the proxy', async () => {
		const answer = ['HTTP/1.1 407 Password Required', 'Proxy-Authenticate: Basic', 'content-length: 0', '', ''].join(
			'\r\n',
		);
		process.env.HTTPS_PROXY = `http://${await listen((socket) => void socket.end(answer))}`;
		// n8n#11758, node-red#1145
		const { description } = await startAt('https://automation.example.com');
		expect(description).toMatch(/^No run was started\. .*proxy.*HTTPS_PROXY/);
	});

	// psf/requests#2846, insomnia#2512
	it.each(['a#b', 'a/b'])('a start is not sent if the URL of the proxy is not valid: %s', async (password) => {
		process.env.HTTPS_PROXY = `http://user:${password}@proxy.example:8080`;
		const error = await startAt('https://automation.example.com');
		expect(error.message).toBe('No response from the service: the URL of the proxy is not valid');
		expect(error.description).toMatch(/^No run was started\. Percent-encode/);
		expect(JSON.stringify([error.message, error.description])).not.toContain(password);
	});
});
