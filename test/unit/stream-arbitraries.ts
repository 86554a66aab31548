import type { UIMessageChunk } from 'ai7';
import fc from 'fast-check';

import type { Chunk } from '../../nodes/RunAutomation/run/chunk';

/** Names that hurt if an object is used as a map, or a value is turned into a text. */
const HOSTILE = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'toJSON', 'hasOwnProperty', 'length'];

/** An object as JSON gives it: made of text, so that `__proto__` becomes a key of it and not its prototype. */
const jsonObject = (key: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
	fc.array(fc.tuple(key, value), { maxLength: 5 }).map((entries) => {
		const text = entries.map(([name, inner]) => `${JSON.stringify(name)}:${JSON.stringify(inner)}`).join(',');
		return JSON.parse(`{${text}}`) as unknown;
	});

const key = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom(...HOSTILE));

/** Any character, of which `unit: 'binary'` makes a table for a second in each file of tests. */
export const anyCharacter = fc
	.nat(0x10ffff - 0x800)
	.map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800));

/** Any JSON value, hostile names among its keys. */
const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, depthSize: 'small' },
		fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, '', 'text'),
		fc.string({ unit: anyCharacter, maxLength: 10 }),
		fc.array(tie('value'), { maxLength: 4 }),
		jsonObject(key, tie('value')),
	),
})).value;

/** Few, so that chunks often name what an earlier one has started. */
const id = fc.constantFrom('a', 'a', 'a', '__proto__');
const toolName = fc.constantFrom('search', 'click', 'read-page', '__proto__');
const words = fc.string({ unit: 'grapheme', maxLength: 8 });
const flag = fc.boolean();
const dictionary = (keys: string[], value: fc.Arbitrary<unknown>, maxKeys = 2) =>
	fc.dictionary(fc.constantFrom(...keys), value, { maxKeys, noNullPrototype: true });
const flat = fc.jsonValue({ maxDepth: 1 });
const providerMetadata = dictionary(['p', 'q'], dictionary(['k', 'l'], fc.jsonValue()));
const toolMetadata = dictionary(['t', 'u'], flat);
/** Metadata of the message: an object, merged by the reader. */
const messageMetadata = dictionary(['a', 'b', 'c'], fc.oneof(flat, dictionary(['a', 'b'], flat)), 3);

type Model = Record<string, fc.Arbitrary<unknown>>;

/** A chunk of a type: the fields that must be there, and those that may. */
const chunk = (type: string, required: Model = {}, optional: Model = {}): fc.Arbitrary<Chunk> =>
	fc
		.subarray(Object.keys(optional))
		.chain((names) => fc.record({ ...required, ...Object.fromEntries(names.map((name) => [name, optional[name]])) }))
		.map((fields) => ({ type, ...fields }));

const byProvider = { providerExecuted: flag, providerMetadata };
const tool = { ...byProvider, toolMetadata };
const named = { ...tool, dynamic: flag, title: words };
const called = { toolCallId: id, toolName };
const input = fc.jsonValue({ maxDepth: 2 });
/** Pieces of JSON, each of which begins where a value is due. Those of the first list together are always the beginning of one. */
const jsonPiece = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom('', ' ', '[', '{"q":', '[1,', '[true,"che\\n",', '{"a":null,"b":') },
	{ weight: 1, arbitrary: fc.constantFrom('{"q":1}', '7', '[]', ' null ') },
);

/** The fields of a kind of chunk: those that must be there, and those that may. */
type Kind = [required?: Model, optional?: Model];

const kind = (...models: Kind): Kind => models;

const TOOLS = {
	'tool-input-start': kind(called, { ...named, inputEncoding: fc.constantFrom('json', 'text') }),
	'tool-input-delta': kind({ toolCallId: id, inputTextDelta: jsonPiece }),
	'tool-input-available': kind({ ...called, input }, named),
	'tool-input-error': kind({ ...called, input, errorText: words }, named),
	'tool-output-available': kind({ toolCallId: id, output: input }, { ...tool, dynamic: flag, preliminary: flag }),
	'tool-output-error': kind({ toolCallId: id, errorText: words }, { ...tool, dynamic: flag }),
	'tool-output-denied': kind({ toolCallId: id }),
	'tool-approval-request': kind(
		{ toolCallId: id, approvalId: id },
		{ approvalDescriptor: words, inputSchemaInput: words, reason: words, isAutomatic: flag, signature: words },
	),
	'tool-approval-response': kind({ approvalId: id, approved: flag }, { ...byProvider, reason: words }),
} satisfies Record<string, Kind>;

/** Every kind of chunk that the newest AI SDK sends: an update with another one fails the type check here. */
const KINDS = {
	start: kind({}, { messageId: fc.constantFrom('m1', 'm2'), messageMetadata }),
	'text-start': kind({ id }, { providerMetadata }),
	'text-delta': kind({ id, delta: words }, { providerMetadata }),
	'text-end': kind({ id }, { providerMetadata, citations: fc.constant([{ type: 'url', url: 'https://a' }]) }),
	'reasoning-start': kind({ id }, { providerMetadata }),
	'reasoning-delta': kind({ id, delta: words }, { providerMetadata }),
	'reasoning-end': kind({ id }, { providerMetadata }),
	'source-url': kind({ sourceId: id, url: words }, { title: words, providerMetadata }),
	'source-document': kind({ sourceId: id, mediaType: words, title: words }, { filename: words, providerMetadata }),
	file: kind({ url: words, mediaType: words }, { providerMetadata }),
	'reasoning-file': kind({ url: words, mediaType: words }, { providerMetadata }),
	custom: kind({ kind: fc.constantFrom('a.b', 'c.d') }, { providerMetadata }),
	'steering-message': kind({ id, parts: fc.array(chunk('text', { text: words }), { maxLength: 2 }) }),
	...TOOLS,
	'start-step': kind(),
	'finish-step': kind(),
	'reset-step': kind(),
	'message-metadata': kind({ messageMetadata }),
	finish: kind({}, { finishReason: fc.constantFrom('stop', 'length', 'error'), messageMetadata }),
	abort: kind({}, { reason: words }),
	error: kind({ errorText: words }),
	'data-progress': kind({ data: input }, { id, transient: flag }),
	'data-page': kind({ data: input }, { id, transient: flag }),
} satisfies Record<Exclude<UIMessageChunk['type'], `data-${string}`> | `data-${'page' | 'progress'}`, Kind>;

export const KNOWN_TYPES = Object.keys(KINDS);

/** The names of all fields of each kind of chunk. */
export const FIELDS_OF_KINDS = Object.entries<Kind>(KINDS).map(
	([type, models]) => [type, models.flatMap((model) => Object.keys(model ?? {}))] as const,
);

const chunksOf = (kinds: Record<string, Kind>) =>
	Object.entries(kinds).map(([type, [required, optional]]) => chunk(type, required, optional));

/** The chunks of UI message stream version 1, each valid by itself; those of tools most, which depend on each other. */
const valid = [...chunksOf(KINDS), ...chunksOf(TOOLS)];

const changes = fc.array(fc.tuple(fc.nat(), anyJson), { minLength: 1, maxLength: 3 });
const changed = fc.tuple(fc.oneof(...valid), changes).map(([good, values]) => {
	const fields = Object.keys(good).filter((name) => name !== 'type');
	const entries = fields.length ? values.map(([index, value]) => [fields[index % fields.length], value]) : [];
	return { ...good, ...Object.fromEntries(entries) } as Chunk;
});
const anyType = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('data-', 'data-__proto__', ...HOSTILE));
const foreign = fc.tuple(anyType, anyJson).map(([type, value]) => {
	const isObject = typeof value === 'object' && !Array.isArray(value);
	return isObject ? { ...value, type } : { type, data: value, id: value };
});

/** Chunks of any kind: valid ones, ones with fields of any shape, and objects that only have a type. */
export const anyChunk: fc.Arbitrary<Chunk> = fc.oneof(
	{ weight: 3, arbitrary: fc.oneof(...valid) },
	{ weight: 3, arbitrary: changed },
	{ weight: 1, arbitrary: foreign },
);

export const validChunk: fc.Arbitrary<Chunk> = fc.oneof(...valid);

const chunkOf = (type: keyof typeof KINDS): fc.Arbitrary<Chunk> => {
	const [required, optional] = KINDS[type] as Kind;
	return chunk(type, required, optional);
};
const sequenceOf = (...types: Array<keyof typeof KINDS>) => fc.tuple(...types.map(chunkOf));

/** What a server sends of one part, in its order. */
const partChunks = fc.oneof(
	sequenceOf('text-start', 'text-delta', 'text-delta', 'text-end'),
	sequenceOf('reasoning-start', 'reasoning-delta', 'reasoning-end'),
	...(['source-url', 'source-document', 'file', 'custom', 'data-page', 'data-progress'] as const).map((type) =>
		sequenceOf(type),
	),
	sequenceOf('message-metadata'),
	sequenceOf('finish-step', 'start-step'),
	sequenceOf('start-step', 'data-page', 'reset-step'),
	fc
		.tuple(
			fc.constantFrom<Array<keyof typeof KINDS>>(['tool-input-start', 'tool-input-delta'], []),
			fc.constantFrom<Array<keyof typeof KINDS>>(
				[],
				['tool-output-available'],
				['tool-output-error'],
				['tool-approval-request'],
				['tool-approval-request', 'tool-approval-response', 'tool-output-available'],
				['tool-approval-request', 'tool-output-denied'],
			),
		)
		.chain(([before, after]) => sequenceOf(...before, 'tool-input-available', ...after))
		.map((chunks) =>
			chunks.map((one) => ('toolName' in one ? { ...one, toolName: 'search', dynamic: undefined } : one)),
		),
);

/** The chunks of a message as a server sends them: each part under an ID of its own. */
export const sentChunks: fc.Arbitrary<Chunk[]> = fc.array(partChunks, { maxLength: 20 }).map((parts) =>
	parts.flatMap((chunks, part) =>
		chunks.map((one: Chunk): Chunk => {
			const ids = ['id', 'toolCallId', 'approvalId'].filter((name) => name in one && !one.type.startsWith('data-'));
			return { ...one, ...Object.fromEntries(ids.map((name) => [name, `${part}`])) };
		}),
	),
);
