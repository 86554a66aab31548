/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findSession, type ServiceState } from './state';

/** Where presigned files live: neither interface's prefix. */
export const FILES_PREFIX = '/files/replays/';

const signature = (path: string) => createHash('sha256').update(`presigned ${path}`).digest('hex');

/** A presigned URL of a session's recording or of one playlist segment, good without a key. */
export function signed(origin: string, sessionId: string, file: string): string {
	const path = `${FILES_PREFIX}${encodeURIComponent(sessionId)}/${file}`;
	return `${origin}${path}?X-Signature=${signature(path)}`;
}

/** A file of N bytes that starts as an MP4 does: an `ftyp` box, then one `free` box that fills it up. */
function mp4(bytes: number): Buffer {
	const box = (type: string, content: Buffer) => {
		const head = Buffer.alloc(8);
		head.writeUInt32BE(8 + content.length);
		head.write(type, 4);
		return Buffer.concat([head, content]);
	};
	const ftyp = box('ftyp', Buffer.from('isom\x00\x00\x02\x00isommp41', 'latin1'));
	const fill = Math.max(0, bytes - ftyp.length - 8);
	return Buffer.concat([ftyp, box('free', Buffer.alloc(fill, 'x'))]).subarray(0, bytes);
}

/** Serves presigned files as an object store does: a bearer key beside the signature is refused with 400. */
export function serveFile(request: IncomingMessage, response: ServerResponse, state: ServiceState) {
	const url = new URL(request.url ?? '', 'http://service');
	const refuse = (status: number, code: string) => {
		response.writeHead(status, { 'content-type': 'application/xml' });
		response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
	};
	if (request.headers.authorization) return refuse(400, 'OnlyOneAuthMechanismAllowed');
	if (url.searchParams.get('X-Signature') !== signature(url.pathname)) {
		return refuse(403, 'SignatureDoesNotMatch');
	}
	const [id, file] = url.pathname.slice(FILES_PREFIX.length).split('/');
	const found = findSession(state, decodeURIComponent(id));
	if (!found) return refuse(404, 'NoSuchKey');
	const video = file === 'recording.mp4';
	const body = video ? mp4(found.bytes) : Buffer.alloc(188, 'G');
	const type = video ? 'video/mp4' : 'video/mp2t';
	response.writeHead(200, { 'content-type': type, 'content-length': body.length });
	response.end(request.method === 'HEAD' ? undefined : body);
}
