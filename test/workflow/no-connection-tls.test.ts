/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { once } from 'node:events';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';

import { operate, runAutomation } from '../engine/run-node';
import { certificates } from '../support/certificate';

// Why there is no connection, with real certificates and sockets: the cause that is known, not only "the TLS handshake failed".

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

/** What both nodes say of a start at a URL. */
async function startAt(automationUrl: string, options = {}) {
	const target = { baseUrl: 'https://api.example.com', automationUrl, apiKey: 'some-api-key' };
	const { error } = await runAutomation(target, { query: 'Do it', options });
	if (Object.keys(options).length > 0) return error!;
	const other = (await operate(target, start)).error!;
	expect(other).toMatchObject({ message: error!.message, description: error!.description });
	return error!;
}

/** A server with this certificate, whose authority n8n trusts. */
async function serveTls(name: string, days: [number, number], isSelfSigned = false, options: ServerOptions = {}) {
	const { ca, ...own } = certificates(name, days, isSelfSigned);
	const { createSecureContext } = tls;
	jest.spyOn(tls, 'createSecureContext').mockImplementation((given) => createSecureContext({ ...given, ca }));
	const server = createHttpsServer({ ...own, ...options }, (_request, response) => response.end());
	server.on('tlsClientError', () => {});
	return await listen(server);
}

const CHECK_URL = "Check 'Automation URL' in the credential, and that n8n can reach it";
const CHECK_CLOCK =
	"Check the date and time of the machine that runs n8n. If they are correct, the server's certificate must be renewed";
const TRUST =
	'If you trust the server, set the environment variable NODE_EXTRA_CA_CERTS of n8n to the file of its certificate authority';

// n8n-nodes-evolution-api#46, openssl#14771
it.each<[string, string, string, [number, number], boolean]>([
	['its certificate has expired', CHECK_CLOCK, 'localhost', [-5, -2], false],
	['its certificate is not valid yet', CHECK_CLOCK, 'localhost', [2, 5], false],
	['its certificate is for another host name', CHECK_URL, 'other.example', [-1, 5], false],
	['its certificate is self-signed', TRUST, 'localhost', [-1, 5], true],
])('a certificate says why there is no connection: %s', async (cause, advice, name, days, isSelfSigned) => {
	const { message, description } = await startAt(`https://${await serveTls(name, days, isSelfSigned)}`);
	expect(message).toBe(`No response from the service: ${cause}`);
	expect(description).toBe(`No run was started. ${advice}`);
});

// tokio-rustls#83: with TLS 1.3, the alert follows what Node.js holds for a complete handshake.
it.each<['TLSv1.2' | 'TLSv1.3', string]>([
	['TLSv1.3', ' (certificate required)'],
	['TLSv1.2', ''],
])('an alert names itself if a client certificate is required: %s', async (maxVersion, alert) => {
	const url = await serveTls('localhost', [-1, 5], false, { requestCert: true, rejectUnauthorized: true, maxVersion });
	const { message, description } = await startAt(`https://${url}`);
	expect(message).toBe(`No response from the service: the TLS handshake failed${alert}`);
	expect(description).toMatch(/^No run was started\. /);
});

/** Accepts connections, and never says anything. */
const silent = async () => await listen(createServer((socket) => socket.on('error', () => {}).resume()));

// Nothing was sent: the request waits for the end of the handshake.
it.each([
	['idleTimeout', 'The service sent no data for 1 second'],
	['totalTimeout', 'The run took longer than 1 second'],
])('a TLS handshake that never ends starts nothing: %s', async (limit, reason) => {
	const { message, description } = await startAt(`https://${await silent()}`, { [limit]: 1 });
	expect(message).toContain(reason);
	expect(description).toBe(`No run was started. ${CHECK_URL}`);
});

// An alert is the last thing that the server sends: its name is all there is to know.
it.each([
	[70, ' (protocol version)'],
	[112, ' (unrecognized name)'],
	[48, ' (unknown ca)'],
])('an alert of the server names itself: %d', async (code, alert) => {
	const bytes = Buffer.from([0x15, 3, 3, 0, 2, 2, code]);
	const server = createServer((socket) => socket.on('error', () => {}).once('data', () => void socket.end(bytes)));
	const { message, description } = await startAt(`https://${await listen(server)}`);
	expect(message).toBe(`No response from the service: the TLS handshake failed${alert}`);
	expect(description).toMatch(/^No run was started\. /);
});

it('a proxy whose tunnel is never there starts nothing', async () => {
	process.env.HTTPS_PROXY = `http://${await silent()}`;
	const { description } = await startAt('https://automation.example.com', { idleTimeout: 1 });
	expect(description).toMatch(/^No run was started\. /);
});

it('a response that never comes may be that of a run', async () => {
	const { description } = await startAt(`http://${await silent()}`, { idleTimeout: 1 });
	expect(description).toMatch(/^The run may have started\. /);
});

// npm/cli#2888: n8n sends user and password in Basic only.
it.each([
	[
		'Basic realm="x"',
		"Check the user name and the password in the URL of n8n's proxy (HTTPS_PROXY): they are missing or were rejected",
	],
	[
		'NTLM',
		"n8n can sign in to a proxy only by 'Basic', which this proxy does not offer. Allow n8n there without a password",
	],
])('a proxy that rejects user and password is not said to need them: %s', async (scheme, advice) => {
	const answer = `HTTP/1.1 407 Required\r\nProxy-Authenticate: ${scheme}\r\ncontent-length: 0\r\n\r\n`;
	const proxy = createServer((socket) => socket.on('error', () => {}).once('data', () => void socket.end(answer)));
	process.env.HTTPS_PROXY = `http://user:wrong@${await listen(proxy)}`;
	const { description } = await startAt('https://automation.example.com');
	expect(description).toBe(`No run was started. ${advice}`);
});
