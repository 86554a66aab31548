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

/** Larger than what arrives at once; it begins as an MP4 does. */
const RECORDING = Buffer.from('\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41'.padEnd(300_000, 'x'), 'latin1');

/** Serves presigned files as an object store does: a bearer key beside the signature is refused with 400. */
export function serveFile(request: IncomingMessage, response: ServerResponse, state: ServiceState) {
	const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
	const refuse = (status: number, code: string) => {
		response.writeHead(status, { 'content-type': 'application/xml' });
		response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
	};
	if (request.headers.authorization) return refuse(400, 'OnlyOneAuthMechanismAllowed');
	if (searchParams.get('X-Signature') !== signature(pathname)) return refuse(403, 'SignatureDoesNotMatch');
	const [id, file] = pathname.slice(FILES_PREFIX.length).split('/');
	if (!findSession(state, decodeURIComponent(id))) return refuse(404, 'NoSuchKey');
	response.writeHead(200, { 'content-type': file === 'recording.mp4' ? 'video/mp4' : 'video/mp2t' });
	response.end(RECORDING);
}
