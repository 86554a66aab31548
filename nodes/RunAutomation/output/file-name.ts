// Names a run's file by what its server and the agent say of it.

import { parse } from 'content-disposition';

import { isDataUrl } from '../../shared/values/data-url';
import { copyText, visible } from '../../shared/values/text';
import { parseUrl } from '../../shared/values/url';

/** Characters. n8n's database stores at most 255. */
const MAX_NAME = 200;

/** A name cannot lead to another folder. */
function baseName(path: string): string {
	const last = visible(path.split(/[\\/]/).at(-1)!.slice(-MAX_NAME));
	return /^\.*$/.test(last) ? '' : copyText(last);
}

function lastOfPath(url: string): string {
	const path = isDataUrl(url) ? '' : (parseUrl(url)?.pathname ?? '');
	try {
		return decodeURIComponent(path);
	} catch {
		// A path that is not UTF-8 stays as it was sent.
		return path;
	}
}

/** RFC 6266. Node.js reads bytes as Latin-1, but many servers send UTF-8. */
function nameInHeader(disposition: string): string {
	const utf8 = Buffer.from(disposition, 'latin1').toString();
	return parse(utf8.includes('\uFFFD') ? disposition : utf8).parameters.filename ?? '';
}

/** The server knows the name best, then the agent. */
export function nameOfFile(file: { disposition?: string; filename?: string; url: string }): string | undefined {
	const names = [nameInHeader(file.disposition ?? ''), file.filename ?? '', lastOfPath(file.url)];
	return names.map(baseName).find(Boolean);
}
