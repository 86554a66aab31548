/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import zlib, { brotliCompressSync, gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { isTextFor } from '../../nodes/shared/http/download';
import { operate, runAutomation, type NodeRunOptions } from '../engine/run-node';
import { events, finish, runStream, serveStream } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { answering, type Answer } from '../support/answering';

// What cannot be read is not a result, what is accepted is not done, and what was asked for and does not come is told.

const search = { resource: 'web', operation: 'search', searchQuery: 'x' };
const replay = { resource: 'session', operation: 'getReplay', sessionId: 's' };
const deleteSecret = { resource: 'secret', operation: 'delete', id: 's' };
const script = { resource: 'session', operation: 'getScript', sessionId: 's' };
const CONTINUE = { node: { onError: 'continueRegularOutput' as const } };

const operateWith = async (form: INodeParameters, options: NodeRunOptions, ...answer: Answer) =>
	await operate(await answering(answer), form, options);

describe('a response that is still compressed', () => {
	const CSV = Buffer.from('a,b\n1,2\n');
	/** Newer versions of Node.js, and so n8n's client, decompress zstd (RFC 8878), but no coding with a dictionary (RFC 9842). */
	const UNKNOWN = 'createZstdDecompress' in zlib ? 'dcz' : 'zstd';
	// aws-sdk-java-v2#5769
	const CODINGS: Array<[string, Buffer]> = [
		['gzip,aws-chunked', gzipSync(CSV)],
		['br, gzip', gzipSync(brotliCompressSync(CSV))],
		[UNKNOWN, Buffer.from('28b52ffd0458', 'hex')],
		['GZIP, identity', gzipSync(CSV)],
	];
	it.each(CODINGS)('is no file: %s', async (coding, bytes) => {
		const server = await serveStream(
			() => events({ type: 'file', mediaType: 'text/csv', url: `${server.url}/a.csv` }, finish),
			(_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(bytes),
		);
		const form = { query: THREAD, options: { simplify: false, downloadLinks: true } };
		const { items } = await runAutomation(server.target, form);
		expect(items[0].binary).toBeUndefined();
		const reason = `its server sent an unreadable file: it is compressed as "${coding}"`;
		expect(items[0].json.warnings).toEqual([`File a.csv was not downloaded: ${reason}`]);
	});

	// A proxy dropped the header.
	it.each([gzipSync(CSV), brotliCompressSync(Buffer.from('{"results":[]}'.repeat(20))), gzipSync('{}')])(
		'is no result and no reason without the header, too: %j',
		async (bytes) => {
			const message = expect.stringContaining('The service sent an unreadable response: it is not text') as string;
			for (const form of [search, script, deleteSecret])
				for (const status of [200, 400])
					expect((await operateWith(form, {}, status, bytes)).error).toMatchObject({ message });
			const ran = await runStream((_task, response) => {
				response.writeHead(200, { 'content-type': 'application/json' }).end(bytes);
			});
			expect(ran.error).toMatchObject({ message });
		},
	);
});

// OpenVoiceUI PR#470
it.each<[string, string | Buffer, boolean]>([
	['application/pdf', 'Link expired', true],
	['application/pdf', '%PDF-1.4 only ASCII', false],
	['application/pdf', Buffer.from([37, 33, 0]), false],
	['image/png', '\uFEFFLink abgelaufen für Größe', true],
	['image/svg+xml', '<svg/>', false],
	['image/x-portable-pixmap', 'P3 1 1 255 0 0 0', false],
	['video/mp4', '<?xml version="1.0"?><Error>', true],
	['audio/x-mpegurl', '#EXTM3U\n', false],
	['application/x-tar', 'no', true],
	['application/vnd.oasis.opendocument.text', 'no', true],
	['application/msword', '{\\rtf1', false],
	['application/json', 'no', false],
	['image/jpeg', `${'ö'.repeat(3000)}`, true],
])('%s that begins with %j is text in its place: %s', (type, bytes, isText) => {
	expect(isTextFor(type, Buffer.from(bytes as string))).toBe(isText);
});

// AWS WAF sends a challenge with a success.
it.each([search, replay, deleteSecret])('a challenge of a firewall is no success of %j', async (form) => {
	const { error, items } = await operateWith(form, {}, 202, '', { 'x-amzn-waf-action': 'challenge' });
	expect(items).toEqual([]);
	expect(error?.description).toMatch(/^A firewall in front of the service wants to see a browser/);
});

// my-ax#93
it.each<[number, object, object]>([
	[404, { replay_status: 'processing', retryable: true }, { replay_status: 'processing', retryable: true }],
	[404, { replay_status: 'failed', retryable: false, detail: 'x' }, { replay_status: 'failed', retryable: false }],
	// FastAPI puts an error's object into `detail`.
	[404, { detail: { replay_status: 'processing', retryable: true } }, { replay_status: 'processing', retryable: true }],
])('the state of a recording is in the details: %d, %j', async (status, body, details) => {
	const { items } = await operateWith(replay, CONTINUE, status, body);
	expect(items[0].json.details).toMatchObject({ http_status: status, ...details });
});
