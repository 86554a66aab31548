import fc from 'fast-check';

import { readCookies } from '../../nodes/BrowserAutomation/own-steps/set-cookies';
import { asLink } from '../../nodes/RunAutomation/columns/leaves';
import { rowsFormat } from '../../nodes/RunAutomation/columns/schema';
import { nameOfFile } from '../../nodes/RunAutomation/output/files';
import { notDoneInText } from '../../nodes/RunAutomation/reply/not-done';
import { readReply } from '../../nodes/RunAutomation/reply/reply';
import { requestedWait } from '../../nodes/shared/failure/response/retry-after';
import { serviceFailure } from '../../nodes/shared/failure/response/service-failure';
import { apiKeyIn, urlIn } from '../../nodes/shared/http/credential';
import { TokenFilter, withoutTokens } from '../../nodes/shared/mask/file-tokens';
import { maskOf, Secrets } from '../../nodes/shared/mask/secrets';
import { threadIdIn } from '../../nodes/shared/start/start-response';
import { readDataUrl, urlOfFile } from '../../nodes/shared/values/data-url';
import { plain, readJson, type Json } from '../../nodes/shared/values/json';
import { valueAt } from '../../nodes/shared/values/nested';
import { isUnevaluated, leftoverIn } from '../../nodes/shared/values/placeholders';
import { readerOf } from '../support/reader';
import { formatOf, LINK, NUMBER, rowsIn, TEXT } from '../support/rows-format';
import { fuzz } from '../unit/fuzz';
import { validChunk } from '../unit/stream-arbitraries';
import type { Row } from './growth';

// n8n runs everybody's workflows in one thread: the work for whatever is read grows with its size alone.

/** Characters of the smallest text. */
const LENGTH = 800;

/** Chunks, cookies, properties and the like of the smallest input. */
const COUNT = 100;

/** Rows of texts that have many of a piece, one for each piece. */
const manyOf = (what: string, pieces: string[], read: (many: string) => unknown): Row[] =>
	pieces.map((piece) => ({
		name: `${what}: many of ${JSON.stringify(piece)}`,
		work: (size) => void read(piece.repeat(size)),
		size: Math.ceil(LENGTH / piece.length),
	}));

const rowsOf = (
	what: string,
	inputs: Array<[string, (size: number) => unknown]>,
	read: (input: never) => unknown,
): Row[] =>
	inputs.map(([name, inputOf]) => ({
		name: `${what}: ${name}`,
		work: (size) => void read(inputOf(size) as never),
		size: COUNT,
	}));

const refused = (read: () => unknown): void => {
	try {
		read();
	} catch {
		// Rejected is read, too.
	}
};

type Chunks = unknown[];
const many = (size: number, one: (index: number) => unknown): Chunks =>
	Array.from({ length: size }, (_, index) => one(index)).flat();

const id = 'a';
const called = (toolCallId: string) => ({ type: 'tool-input-available', toolCallId, toolName: 'b', input: {} });
const asks = (toolCallId: string, approvalId: string) => ({ type: 'tool-approval-request', toolCallId, approvalId });
const approves = (approvalId: string) => ({ type: 'tool-approval-response', approvalId, approved: true });
const begun = { type: 'tool-input-start', toolCallId: id, toolName: 'b' };
const more = (inputTextDelta: string) => ({ type: 'tool-input-delta', toolCallId: id, inputTextDelta });
const output = { type: 'tool-output-available', toolCallId: id, output: 1 };
const metadata = (messageMetadata: object) => ({ type: 'message-metadata', messageMetadata });
const opened = (id: string) => ({ type: 'text-start', id });
const delta = (id: string) => ({ type: 'text-delta', id, delta: 'a b ' });
const source = (n: number) => ({ type: 'source-url', sourceId: `s${n}`, url: 'https://a.example' });
const file = (n: number) => ({ type: 'file', mediaType: 'image/png', url: `https://a.example/${n}` });
const citation = (citedText: string) => ({ source: { sourceType: 'url', id, url: 'https://a.example' }, citedText });

/** S6 of the field reports, and further chunks that say something of what came before. */
const STREAMS: Array<[string, (size: number) => Chunks]> = [
	['metadata with new keys', (size) => many(size, (n) => metadata({ [`k${n}`]: n }))],
	['metadata with new keys below one', (size) => many(size, (n) => metadata({ a: { b: { [`k${n}`]: n } } }))],
	[
		'one input, completed by each output',
		(size) => [begun, more(`["${'a'.repeat(100 * size)}"]`), ...many(size, () => [more(' '), asks(id, 'x')])],
	],
	['one input that never completes', (size) => [begun, more('['), ...many(size, () => [more('1,'), output])]],
	['one call in many steps', (size) => many(size, () => [{ type: 'start-step' }, called(id), output])],
	['calls of one step', (size) => many(size, (n) => [called(`c${n}`), { ...output, toolCallId: `c${n}` }])],
	[
		'citations of one page',
		(size) => [opened(id), delta(id), { type: 'text-end', id, citations: many(4 * size, (n) => citation(`c${n}`)) }],
	],
	[
		'approvals of one ID',
		(size) => [
			...many(size, (n) => [called(`c${n}`), asks(`c${n}`, 'x')]),
			...many(size, (n) => [approves('x'), asks(`c${n}`, `a${n}`)]),
		],
	],
	['texts in turn', (size) => [opened('b'), opened(id), ...many(size, (n) => delta(n % 2 ? 'b' : id))]],
	['data parts', (size) => many(size, (n) => ({ type: `data-${n % 7}`, id: `${n % 1000}`, data: n }))],
	['sources and files', (size) => many(size, (n) => [source(n), file(n)])],
	['new messages', (size) => many(size, (n) => ({ type: 'start', messageId: `m${n}` }))],
	['errors', (size) => many(size, (n) => ({ type: 'error', errorText: `No ${n}` }))],
	['a list of errors', (size) => [many(size, (n) => ({ error: `No ${n}` }))]],
];

function readStream(chunks: Chunks): void {
	const reader = readerOf({ operation: 'result', threadId: 'a', knowsLinks: true, keepsChunks: true });
	reader.write(Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')));
	reader.end();
	JSON.stringify(reader.finish());
}

const REPLY_PIECES = [
	...['`', '~', '``` ', '{', '{"', '[{"', '[ ', '{"a":1}\n', '{"a":[', '"\\', ' ', '\n ', '} ', '[a]', '{}'],
	...['```json\n{"a":1}\n```\n', 'TASK NOT DONE:\n', '> TASK NOT DONE: a\n\n', '{"not_done":', '{"a\n'],
	...['TASK NOT DONE [a]: b\n', 'TASK NOT DONE: [captcha] none\n', '{"not_done":"none"}\n', '[1, {"not_done":"x"}\n'],
	...['{"a":{"rows":[{"not_done":"x"}],', '{"a":{"rows":', '{"rows":[', '{"a":1,"b\n}', '{"x\n{"rows":[', '{a: '],
	...['{"rows":[{"a":1}]}\n', '{"rows":[{"a":1}]} or ', '{"rows":[{"a":1}],"rows":[]} ', '[{"a":1},{"a', '{"A":1}\n'],
	...['{"rows": [...]}\n', '[{"a": "\\_"}]\n\n', '{"a": "b" , ', '<think>', '</think>\n', '<think>a</think>', '\uE200'],
	...['\uE200a\uE201', '<tool_call>{}', '</tool_call>', '<invoke name=" ', '<tool_call>{}</tool_call>', '\\ud800'],
];
const format = formatOf({ a: TEXT });
function readReplies(text: string): void {
	const steps = [[text]];
	readReply(steps, { operation: 'rows', checksDone: true, rows: format }, new Secrets([]));
	readReply(steps, { operation: 'result', checksDone: true, rows: undefined }, new Secrets([]));
	notDoneInText(text);
}

const VALUE_PIECES = ['\\u0000', '0', '\\n', '\n', '{"b": 1, ', ' ', '2026-01-31 ', '\\ud83d', '":'];
const formats = [TEXT, NUMBER, LINK, { enum: ['b'] }, { format: 'email' }, { format: 'uri-reference' }];
function readValues(many: string): void {
	for (const schema of formats)
		for (const value of [`"${many}"`, `9${many}.0${many}1`, many])
			rowsIn([`{"rows": [{"a": ${value}}]}`], formatOf({ a: schema }));
}
const LINK_PIECES = [' ', '" ', '](', '[', '[]', '<', 'https://', ',', '&amp;', '…/', '...', ';'];

const JSON_PIECES = ['[', '{"a":', '[{"msg":"a"},', ' ', '"', '\\', '9', ',', '{}'];
const HTML_PIECES = ['<h1>', '<title', '<!--', '</', '&amp;'];
const TEXT_PIECES = ['credit', 'data: a\n', 'a ', '\n', ': ', 'a; ', 'https://'];
const BODY_PIECES = [...JSON_PIECES, ...HTML_PIECES, ...TEXT_PIECES];
const readBodies = (many: string): void => {
	for (const start of ['', '<html>', '{"detail":[', '{"message":"'])
		for (const statusCode of [429, 500]) serviceFailure({ statusCode, headers: {}, body: `${start}${many}x` });
};

const cookie = (n: number) => ({ name: `c${n}`, value: 'v', domain: 'a.example', path: '/' });
const line = (n: number) => `a.example\tTRUE\t/\tFALSE\t0\tc${n}\tv`;
const lines = (one: (n: number) => string) => (size: number) => many(size, one).join('\n');
const COOKIES: Array<[string, (size: number) => unknown]> = [
	['a list', (size) => many(size, cookie)],
	['JSON', (size) => JSON.stringify(many(size, cookie))],
	['JSON in a fence', (size) => `\`\`\`json${'\n'.repeat(size)}${JSON.stringify(many(size, cookie))}\n\`\`\``],
	['cookies.txt', lines(line)],
	['cookies.txt with comments', lines((n) => `# ${n}\n#HttpOnly_${line(n)}`)],
	['Chrome', lines((n) => `c${n}\tv\ta.example\t/\tSession\t5\t\u2713\t\tLax`)],
	...['\t', ' ', '"', '[', '{"a":', '#', '\\'].map((piece): [string, (size: number) => unknown] => [
		`many of ${JSON.stringify(piece)}`,
		(size) => `a.example${piece.repeat(8 * size)}x`,
	]),
];
const named = (size: number, one: (n: number) => object): object =>
	Object.fromEntries(Array.from({ length: size }, (_, n) => [`n${n}`, one(n)]));
const SCHEMAS: Array<[string, (size: number) => object]> = [
	['properties', (size) => ({ properties: named(size, () => TEXT) })],
	['required names', (size) => ({ properties: { a: {} }, required: many(size, (n) => `p${n}`) })],
	['choices', (size) => ({ properties: { a: { enum: many(size, (n) => `p${n}`) } } })],
	[
		'definitions',
		(size) => ({ properties: named(size, (n) => ({ $ref: `#/$defs/n${n}` })), $defs: named(size, () => NUMBER) }),
	],
];
const readSchema = (given: Json): void => refused(() => rowsFormat(plain(given) as never, false, ''));

const NAME_PIECES = ['%', '/', '\\', ';', 'a=', ' ', '%2F', '"', '\u00e9', '.', '; filename="a"', '=', '*'];

function readNames(written: string) {
	for (const url of [`data:${written},x`, `data:text/plain;base64,${written}`, `https://a.example/${written}x`]) {
		urlOfFile(url);
		refused(() => readDataUrl(url));
		nameOfFile({ url });
	}
	nameOfFile({ filename: `${written}x`, url: '' });
	const dispositions = [written, `attachment; filename="${written}`, `attachment; filename*=UTF-8''${written}`];
	for (const before of dispositions) refused(() => nameOfFile({ disposition: `${before}x`, url: '' }));
}

function readCredential(many: string): void {
	for (const text of [`https://a.example${many}`, `https://a.example${many}x`, `${many}x${many}`]) {
		urlIn({ baseUrl: text }, 'baseUrl');
		refused(() => apiKeyIn({ apiKey: text }));
	}
}

function readHeaders(many: string): void {
	const names = 'retry-after date ratelimit-reset x-thread-id location content-type content-encoding'.split(' ');
	const headers = Object.fromEntries(names.map((name) => [name, `${many}x`]));
	requestedWait(headers);
	threadIdIn(headers);
	for (const statusCode of [200, 302, 429, 500])
		serviceFailure({ statusCode, headers, body: 'a', url: 'https://a.example', path: '/a', expected: 'a run' });
}

const FIELD_PIECES = [',', '"', "['", '[', ' ', '.a', '\\', '[object ', 'undefined', '{{', '${', '$json.', '(', '$('];
function readField(many: string): void {
	for (const start of ['', "['a", '$json', '{{ ']) {
		valueAt({ a: 1 }, `${start}${many}x`);
		isUnevaluated(`${start}${many}x`);
		leftoverIn(`${start}${many}x`);
	}
}

const SECRETS: Array<[string, (size: number) => [text: string, secret: string]]> = [
	['slashes, and a secret of them', (size) => ['/'.repeat(400 * size), `x${'/'.repeat(100 * size)}`]],
	['a secret that is in the text', (size) => ['/'.repeat(400 * size), '/'.repeat(100 * size)]],
	['%25', (size) => ['%25'.repeat(50 * size), 'some-key']],
	['HTML', (size) => ['&#x25;2'.repeat(50 * size), `${'&#x25;2'.repeat(50 * size)}3`]],
	['JSON', (size) => ['\\\\u'.repeat(50 * size), 'some-key']],
	['tokens', (size) => ['eyJ eyJpZCI6ImZpbGVzeXN0ZW.'.repeat(5 * size), 'some-key']],
];

const FIXED: Row[] = [
	...rowsOf('stream', STREAMS, readStream),
	...manyOf('reply', REPLY_PIECES, (many) => {
		for (const text of [`{"a": 1} ${many}x`, `<think>${many}x`, `<invoke name="a">${many}`]) readReplies(text);
	}),
	...manyOf('reason', [' ', '[', 'all ', 'none ', '* ', '[captcha] '], (many) => {
		notDoneInText(`TASK NOT DONE: none ${many}x`);
		readReplies(JSON.stringify({ rows: [{ a: 'x' }], not_done: `None ${many}x` }));
	}),
	...manyOf('value', VALUE_PIECES, readValues),
	...manyOf('link', LINK_PIECES, (many) => {
		for (const text of [`[a](https://x.example/${many}x)`, `[${many}](https://x.example)`]) asLink(text);
	}),
	...manyOf('error body', BODY_PIECES, readBodies),
	...rowsOf('cookies', COOKIES, (given) => refused(() => readCookies(given))),
	...rowsOf('schema', SCHEMAS, (given) => readSchema(given as Json)),
	...manyOf('credential', ['/', ' ', '/api', '/api/anything/start/', '"', 'a: ', 'Bearer ', '`', ' "'], readCredential),
	...manyOf('file', NAME_PIECES, readNames),
	...manyOf('header', ['9', ' ', '-', ',', 'a-', '0', '1 Jan ', '/'], readHeaders),
	...manyOf('field', FIELD_PIECES, readField),
	...rowsOf('mask', SECRETS, ([text, secret]: [string, string]) => maskOf([secret])(text)),
	...manyOf('tokens', ['eyJ', 'eyJ.', '%25', 'https://aaaa', '/'], (many) => {
		withoutTokens(many);
		const filter = new TokenFilter();
		for (let at = 0; at < many.length; at += 12) filter.push(many.slice(at, at + 12));
		filter.end();
	}),
];

const READERS: Array<[what: string, pieces: string[], read: (text: string) => unknown]> = [
	['reply', REPLY_PIECES, readReplies],
	['error body', BODY_PIECES, (body) => serviceFailure({ statusCode: 500, headers: {}, body })],
	['cookies', ['\t', ' ', '\n', '"', '[', '{"a":', '#', '\\', 'TRUE', 'a.example', ','], (text) => readCookies(text)],
	['file', NAME_PIECES, readNames],
	['credential', ['/', ' ', '/api', 'a', '"', ': ', '`', '?', '#', '@', '%41'], readCredential],
	['header', ['9', ' ', '-', ',', 'a', '1 Jan ', '/', ';', '=', ':'], readHeaders],
	[
		'schema',
		['{"const":"a"},', '{"$ref":"#"},', '{"enum":["a",null]},', '{"items":{}},', '{"allOf":[{}]},'],
		(text) => readSchema(readJson(`{"properties":{"a":{"anyOf":[${text}{}]},"b":{}}}`).json!),
	],
];

/** Shapes that chance finds: more, and others each time, in the nightly check. */
function generated(): Row[] {
	const shapeOf = (pieces: string[]) => fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 });
	const texts = READERS.flatMap(([what, pieces, read]) =>
		fc.sample(fc.tuple(shapeOf(pieces), shapeOf(pieces)), fuzz(3)).map(([before, repeated]): Row => {
			const piece = repeated.join('');
			return {
				name: `${what}: ${JSON.stringify(before.join(''))}, then many of ${JSON.stringify(piece)}`,
				work: (size) => refused(() => read(before.join('') + piece.repeat(size))),
				size: Math.ceil(LENGTH / piece.length),
			};
		}),
	);
	const chunks = fc.sample(fc.array(validChunk, { minLength: 1, maxLength: 4 }), fuzz(3));
	const streams = chunks.map((repeated): Row => {
		const name = `stream: many of ${repeated.map(({ type }) => type).join(', ')}`;
		return { name, work: (size) => readStream(many(size, () => repeated)), size: COUNT };
	});
	return [...texts, ...streams];
}

export const rows = (): Row[] => [...FIXED, ...generated()];
