/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import fc from 'fast-check';

import { readCookies } from '../../nodes/BrowserAutomation/own-steps/set-cookies';
const columnsInSchema: any = () => {
	throw new Error('gone');
};
import { nameOfFile } from '../../nodes/RunAutomation/output/files';
import { readerOf } from '../support/reader';
import { requestedWait } from '../../nodes/shared/failure/response/retry-after';
import { serviceFailure } from '../../nodes/shared/failure/response/service-failure';
import { apiKeyIn, urlIn } from '../../nodes/shared/http/credential';
import { threadIdIn } from '../../nodes/shared/start/start-response';
import { readDataUrl, urlOfFile } from '../../nodes/shared/values/data-url';
import { readJson } from '../../nodes/shared/values/json';
import { MAX_GROWTH, measureGrowth, type Growth } from '../support/growth';
import { fuzz } from './fuzz';
import { validChunk } from './stream-arbitraries';

// n8n runs everybody's workflows in one thread: the work for whatever is read grows with its size alone.

/** Chunks, cookies, properties and the like of the smaller input. */
const COUNT = process.env.NIGHTLY ? 10_000 : 400;
/** Characters of the smaller text. */
const LENGTH = 8 * COUNT;

const table: Record<string, Growth> = {};
afterAll(() => console.table(table));

function expectLinear(name: string, work: (size: number) => void, size: number) {
	const growth = measureGrowth(work, size);
	table[name.replaceAll('\n', '\\n')] = growth;
	expect(growth.ratio).toBeLessThan(MAX_GROWTH);
}

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
	[
		'one input in many steps',
		(size) => [begun, ...many(size, () => [{ type: 'start-step' }, more('"12345678901234567890",')])],
	],
	['calls of one step', (size) => many(size, (n) => [called(`c${n}`), { ...output, toolCallId: `c${n}` }])],
	[
		'citations of one page',
		(size) => [
			{ type: 'text-start', id },
			{ type: 'text-delta', id, delta: 'a' },
			{ type: 'text-end', id, citations: many(4 * size, (n) => citation(`c${n}`)) },
		],
	],
	[
		'citations in many texts',
		(size) =>
			many(size, (n) => [
				{ type: 'text-start', id },
				{ type: 'text-end', id, citations: [citation(`c${n}`)] },
			]),
	],
	[
		'approvals, the last first',
		(size) => [
			...many(size, (n) => [called(`c${n}`), asks(`c${n}`, `a${n}`)]),
			...many(size, (n) => approves(`a${size - 1 - n}`)),
		],
	],
	[
		'approvals of one ID',
		(size) => [
			...many(size, (n) => [called(`c${n}`), asks(`c${n}`, 'x')]),
			...many(size, (n) => [approves('x'), asks(`c${n}`, `a${n}`)]),
		],
	],
	[
		'approvals that nothing asked for',
		(size) => [...many(size, (n) => called(`c${n}`)), ...many(size, (n) => approves(`a${n}`))],
	],
	[
		'texts in turn',
		(size) => [
			{ type: 'text-start', id: 'b' },
			{ type: 'text-start', id },
			...many(size, (n) => ({ type: 'text-delta', id: n % 2 ? 'b' : id, delta: 'a b ' })),
		],
	],
	['texts without a start', (size) => many(size, (n) => ({ type: 'text-delta', id: `t${n}`, delta: 'a ' }))],
	[
		'steps that are reset',
		(size) => many(size, (n) => [{ type: 'start-step' }, called(`c${n}`), { type: 'reset-step' }]),
	],
	['data parts', (size) => many(size, (n) => ({ type: `data-${n % 7}`, id: `${n % 1000}`, data: n }))],
	[
		'sources and files',
		(size) =>
			many(size, (n) => [
				{ type: 'source-url', sourceId: `s${n}`, url: 'https://a.example' },
				{ type: 'file', mediaType: 'image/png', url: `https://a.example/${n}` },
			]),
	],
	['new messages', (size) => many(size, (n) => ({ type: 'start', messageId: `m${n}` }))],
	['errors', (size) => many(size, (n) => ({ type: 'error', errorText: `No ${n}` }))],
	['chunks of unknown types', (size) => many(size, (n) => ({ type: `x${n}` }))],
	['a list of what is no chunk', (size) => [many(size, (n) => n)]],
	['a list of errors', (size) => [many(size, (n) => ({ error: `No ${n}` }))]],
];

function readStream(chunks: Chunks) {
	const reader = readerOf({ operation: 'result', threadId: 'a' });
	reader.write(Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')));
	reader.end();
	JSON.stringify(reader.finish());
}

it.each(STREAMS)('a stream is read in time that grows with it alone: %s', (name, chunksOf) => {
	expectLinear(`stream: ${name}`, (size) => readStream(chunksOf(size)), COUNT);
});

const refused = (read: () => unknown) => {
	try {
		read();
	} catch {
		// Rejected is read, too.
	}
};

const JSON_PIECES = ['[', '{"a":', '[{"msg":"a"},', ' ', '"', '\\', '9', ','];
const TEXT_PIECES = [
	'<h1>',
	'<title',
	'<!--',
	'data: a\n',
	'a ',
	'\n',
	': ',
	'a; ',
	'{}',
	'</',
	'https://',
	'%41',
	'&amp;',
];
it.each([...JSON_PIECES, ...TEXT_PIECES])(
	'the body of an error is read in time that grows with it alone: many of %j',
	(piece) => {
		const read = (size: number) => {
			for (const start of ['', '<html>', '{"detail":[', '{"message":"'])
				serviceFailure({ statusCode: 500, headers: {}, sent: { query: 'a' }, body: `${start}${piece.repeat(size)}x` });
		};
		expectLinear(`error body: ${piece}`, read, LENGTH / piece.length);
	},
);

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
it.each(COOKIES)('cookies are read in time that grows with them alone: %s', (name, given) => {
	expectLinear(`cookies: ${name}`, (size) => refused(() => readCookies(given(size))), COUNT);
});

const SCHEMAS: Array<[string, (size: number) => object]> = [
	[
		'properties',
		(size) => ({ properties: Object.fromEntries(many(size, (n) => [[`p${n}`, { type: 'string' }]]) as never) }),
	],
	['required names', (size) => ({ properties: { a: {} }, required: many(size, (n) => `p${n}`) })],
	['choices', (size) => ({ properties: { a: { enum: many(size, (n) => `p${n}`) } } })],
	[
		'definitions',
		(size) => ({
			properties: Object.fromEntries(many(size, (n) => [[`p${n}`, { $ref: `#/$defs/d${n}` }]]) as never),
			$defs: Object.fromEntries(many(size, (n) => [[`d${n}`, { type: 'number' }]]) as never),
		}),
	],
];
it.each(SCHEMAS)('a schema is read in time that grows with it alone: %s', (name, given) => {
	const read = (size: number) => refused(() => columnsInSchema(readJson(JSON.stringify(given(size))).json!, 'Schema'));
	expectLinear(`schema: ${name}`, read, COUNT / 4);
});

// S7 of the field reports.
it.each(['/', ' ', '/api', '/api/anything/start', '/api/anything/start/', '"', 'a: ', 'Bearer ', '`', ' "'])(
	'a credential is read in time that grows with it alone: many of %j',
	(piece) => {
		const read = (size: number) => {
			const written = piece.repeat(size);
			for (const text of [`https://a.example${written}`, `https://a.example${written}x`, `${written}x${written}`]) {
				urlIn({ baseUrl: text }, 'baseUrl');
				refused(() => apiKeyIn({ apiKey: text }));
			}
		};
		expectLinear(`credential: ${piece}`, read, LENGTH / piece.length);
	},
);

const NAME_PIECES = [
	'%',
	'/',
	'\\',
	';',
	'a=',
	',',
	' ',
	'%2F',
	'"',
	'\u00e9',
	'.',
	'; filename="a"',
	";filename*=UTF-8''a",
	'=',
	'*',
];

function readNames(written: string) {
	for (const url of [`data:${written},x`, `data:text/plain;base64,${written}`, `https://a.example/${written}x`]) {
		urlOfFile(url);
		refused(() => readDataUrl(url));
		nameOfFile({ url });
	}
	nameOfFile({ filename: `${written}x`, url: '' });
	const dispositions = [written, `attachment; filename=${written}`, `attachment; filename="${written}`];
	for (const before of [
		...dispositions,
		`attachment; filename="${written}"`,
		`attachment; filename*=UTF-8''${written}`,
	])
		refused(() => nameOfFile({ disposition: `${before}x`, url: '' }));
}

it.each(NAME_PIECES)('names and addresses of files are read in linear time: many of %j', (piece) => {
	expectLinear(`file: ${piece}`, (size) => readNames(piece.repeat(size)), LENGTH / piece.length);
});

it.each(['9', ' ', '-', ',', 'a-', '0', '1 Jan ', '/'])(
	'headers are read in time that grows with them alone: many of %j',
	(piece) => {
		const read = (size: number) => {
			const value = `${piece.repeat(size)}x`;
			const names = [
				'retry-after',
				'date',
				'ratelimit-reset',
				'x-thread-id',
				'location',
				'content-type',
				'content-encoding',
			];
			const headers = Object.fromEntries(names.map((name) => [name, value]));
			requestedWait(headers);
			threadIdIn(headers);
			for (const statusCode of [200, 302, 429, 500])
				serviceFailure({ statusCode, headers, body: 'a', url: 'https://a.example', path: '/a', expected: 'a run' });
		};
		expectLinear(`header: ${piece}`, read, LENGTH / piece.length);
	},
);

/** A few pieces, of which a text has many. */
const shapeOf = (pieces: string[]) => fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 });

/** Runs of a property: each measures one shape. */
const SHAPES = fuzz(3);

it('streams of any shape are read in time that grows with them alone', () => {
	const shape = fc.array(validChunk, { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(shape, (chunks) => {
			const read = (size: number) => readStream(many(size, () => chunks));
			expect(measureGrowth(read, COUNT / 4).ratio).toBeLessThan(MAX_GROWTH);
		}),
		SHAPES,
	);
});

const READERS: Array<[string, string[], (text: string) => unknown]> = [
	[
		'bodies of errors',
		[...JSON_PIECES, ...TEXT_PIECES],
		(body) => serviceFailure({ statusCode: 500, headers: {}, body }),
	],
	['cookies', ['\t', ' ', '\n', '"', '[', '{"a":', '#', '\\', 'TRUE', 'a.example', ','], (text) => readCookies(text)],
	['names of files', NAME_PIECES, readNames],
	[
		'schemas',
		[
			'{"const":"a"},',
			'{"type":"string"},',
			'{"$ref":"#"},',
			'{"enum":["a",null]},',
			'{"items":{}},',
			'{"allOf":[{}]},',
		],
		(text) => columnsInSchema(readJson(`{"properties":{"a":{"anyOf":[${text}{}]},"b":{}}}`).json!, 'Schema'),
	],
	[
		'credentials',
		['/', ' ', '/api', 'a', '"', ': ', '`', '?', '#', '@', '%41'],
		(text) => {
			urlIn({ baseUrl: `https://a.example${text}x` }, 'baseUrl');
			apiKeyIn({ apiKey: `${text}x` });
		},
	],
	[
		'headers',
		['9', ' ', '-', ',', 'a', '1 Jan ', '/', ';', '=', ':'],
		(text) => {
			requestedWait({ 'retry-after': text, date: text, 'ratelimit-reset': text });
			threadIdIn({ 'x-thread-id': text });
		},
	],
];
it.each(READERS)('%s of any shape are read in time that grows with them alone', (_name, pieces, read) => {
	fc.assert(
		fc.property(shapeOf(pieces), shapeOf(pieces), (before, repeated) => {
			const shape = repeated.join('');
			const work = (size: number) => refused(() => read(before.join('') + shape.repeat(size)));
			expect(measureGrowth(work, LENGTH / shape.length).ratio).toBeLessThan(MAX_GROWTH);
		}),
		SHAPES,
	);
});
