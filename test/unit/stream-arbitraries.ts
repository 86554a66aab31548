import fc from 'fast-check';

import type { Chunk } from '../../nodes/RunAutomation/stream';

/** Names that hurt where an object is used as a map, or a value is turned into a text. */
const HOSTILE = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'toJSON', 'hasOwnProperty', 'length'];

/** An object as JSON gives it: made of text, so that `__proto__` becomes a key of it and not its prototype. */
export const jsonObject = (key: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
	fc.array(fc.tuple(key, value), { maxLength: 5 }).map((entries) => {
		const text = entries.map(([name, inner]) => `${JSON.stringify(name)}:${JSON.stringify(inner)}`).join(',');
		return JSON.parse(`{${text}}`) as unknown;
	});

const key = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom(...HOSTILE));

/** Any JSON value, hostile names among its keys. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, depthSize: 'small' },
		fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, '', 'text'),
		fc.string({ unit: 'binary', maxLength: 10 }),
		fc.array(tie('value'), { maxLength: 4 }),
		jsonObject(key, tie('value')),
	),
})).value;

const id = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const toolName = fc.constantFrom('search', 'click', 'read-page', '__proto__');
const words = fc.string({ unit: 'grapheme', maxLength: 8 });
const flag = fc.boolean();
const metadata = fc.dictionary(
	fc.constantFrom('p', 'q'),
	fc.dictionary(fc.constantFrom('k', 'l'), fc.jsonValue(), { maxKeys: 2 }),
	{ maxKeys: 2, noNullPrototype: true },
);
/** Metadata of the message: an object, merged by the reader. */
const messageMetadata = fc.dictionary(
	fc.constantFrom('a', 'b', 'c'),
	fc.oneof(
		fc.jsonValue({ maxDepth: 1 }),
		fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true }),
	),
	{ maxKeys: 3, noNullPrototype: true },
);

type Model = Record<string, fc.Arbitrary<unknown>>;

/** A chunk of a type: the fields that must be there, and those that may. */
const chunk = (type: string, required: Model = {}, optional: Model = {}): fc.Arbitrary<Chunk> =>
	fc
		.tuple(
			fc.record(required, { noNullPrototype: true }),
			fc.record(optional, { requiredKeys: [], noNullPrototype: true }),
		)
		.map(([fields, more]) => ({ type, ...fields, ...more }));

const providerMetadata = metadata;
const toolMetadata = fc.dictionary(fc.constantFrom('t', 'u'), fc.jsonValue({ maxDepth: 1 }), {
	maxKeys: 2,
	noNullPrototype: true,
});
const tool = { providerExecuted: flag, providerMetadata, toolMetadata };
const named = { ...tool, dynamic: flag, title: words };
const called = { toolCallId: id, toolName };
const input = fc.jsonValue({ maxDepth: 2 });
/** Pieces of JSON, each of which begins and ends where a value is due: together they are always the beginning of one. */
const jsonPiece = fc.constantFrom('', ' ', '[', '{"q":', '[1,', '[true,"che\\n",', '{"a":null,"b":');

/** The chunks of UI message stream version 1, each valid by itself. */
const valid: Record<string, fc.Arbitrary<Chunk>> = {
	start: chunk('start', {}, { messageId: fc.constantFrom('m1', 'm2'), messageMetadata }),
	'text-start': chunk('text-start', { id }, { providerMetadata }),
	'text-delta': chunk('text-delta', { id, delta: words }, { providerMetadata }),
	'text-end': chunk(
		'text-end',
		{ id },
		{ providerMetadata, citations: fc.constant([{ type: 'url', url: 'https://a' }]) },
	),
	'reasoning-start': chunk('reasoning-start', { id }, { providerMetadata }),
	'reasoning-delta': chunk('reasoning-delta', { id, delta: words }, { providerMetadata }),
	'reasoning-end': chunk('reasoning-end', { id }, { providerMetadata }),
	'source-url': chunk('source-url', { sourceId: id, url: words }, { title: words, providerMetadata }),
	'source-document': chunk(
		'source-document',
		{ sourceId: id, mediaType: words, title: words },
		{ filename: words, providerMetadata },
	),
	file: chunk('file', { url: words, mediaType: words }, { providerMetadata }),
	'reasoning-file': chunk('reasoning-file', { url: words, mediaType: words }, { providerMetadata }),
	custom: chunk('custom', { kind: fc.constantFrom('a.b', 'c.d') }, { providerMetadata }),
	'steering-message': chunk('steering-message', {
		id,
		parts: fc.array(fc.record({ type: fc.constant('text'), text: words }, { noNullPrototype: true }), { maxLength: 2 }),
	}),
	'tool-input-start': chunk('tool-input-start', called, { ...named, inputEncoding: fc.constantFrom('json', 'text') }),
	'tool-input-delta': chunk('tool-input-delta', { toolCallId: id, inputTextDelta: jsonPiece }),
	'tool-input-available': chunk('tool-input-available', { ...called, input }, named),
	'tool-input-error': chunk('tool-input-error', { ...called, input, errorText: words }, named),
	'tool-output-available': chunk(
		'tool-output-available',
		{ toolCallId: id, output: input },
		{ ...tool, dynamic: flag, preliminary: flag },
	),
	'tool-output-error': chunk('tool-output-error', { toolCallId: id, errorText: words }, { ...tool, dynamic: flag }),
	'tool-output-denied': chunk('tool-output-denied', { toolCallId: id }),
	'tool-approval-request': chunk(
		'tool-approval-request',
		{ toolCallId: id, approvalId: id },
		{ approvalDescriptor: input, inputSchemaInput: input, reason: words, isAutomatic: flag, signature: words },
	),
	'tool-approval-response': chunk(
		'tool-approval-response',
		{ approvalId: id, approved: flag },
		{ reason: words, providerExecuted: flag, providerMetadata },
	),
	'start-step': chunk('start-step'),
	'finish-step': chunk('finish-step'),
	'reset-step': chunk('reset-step'),
	data: fc
		.constantFrom('data-progress', 'data-page')
		.chain((type) => chunk(type, { data: fc.jsonValue({ maxDepth: 2 }) }, { id, transient: flag })),
	'message-metadata': chunk('message-metadata', { messageMetadata }),
	finish: chunk('finish', {}, { finishReason: fc.constantFrom('stop', 'length', 'error'), messageMetadata }),
	abort: chunk('abort', {}, { reason: words }),
	error: chunk('error', { errorText: words }),
};

/** Chunks of any kind: valid ones, ones with fields of any shape, and objects that only have a type. */
export const anyChunk: fc.Arbitrary<Chunk> = fc.oneof(
	{ weight: 3, arbitrary: fc.oneof(...Object.values(valid)) },
	{
		weight: 3,
		arbitrary: fc
			.tuple(fc.oneof(...Object.values(valid)), fc.array(fc.tuple(fc.nat(), anyJson), { minLength: 1, maxLength: 3 }))
			.map(([good, changes]) => {
				const fields = Object.keys(good).filter((name) => name !== 'type');
				const changed: Chunk = { ...good };
				for (const [index, value] of changes) if (fields.length) changed[fields[index % fields.length]] = value;
				return changed;
			}),
	},
	{
		weight: 1,
		arbitrary: fc
			.tuple(
				fc.oneof(
					fc.string({ maxLength: 8 }),
					fc.constantFrom('data-', 'data-__proto__', 'data-constructor', ...HOSTILE),
				),
				anyJson,
			)
			.map(([type, value]) =>
				typeof value === 'object' && value !== null && !Array.isArray(value)
					? { ...value, type }
					: { type, data: value, id: value },
			),
	},
);

/** Up to 60 chunks, each valid by itself; many do not fit behind those before them. */
export const validChunks: fc.Arbitrary<Chunk[]> = fc.array(fc.oneof(...Object.values(valid)), {
	maxLength: 60,
	size: 'max',
});
