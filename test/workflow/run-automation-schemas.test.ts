/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import Ajv from 'ajv';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fields } from '../../nodes/RunAutomation/parameters/fields';
import { runAutomation } from '../engine/run-node';
import { events, serveStream } from '../engine/serve-stream';
import corpus from '../corpus/ui-message-stream.json';
import { startService, type Service } from '../service/service';

interface Schema {
	type: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
}

const FOLDER = 'nodes/RunAutomation/__schema__/v1.0.0';
const operations = fields
	.find(({ name }) => name === 'operation')!
	.options!.map((option) => ('value' in option ? String(option.value) : ''))
	// A user names the columns of rows, and n8n looks for a schema by the operation alone: raw output has three.
	.filter((operation) => operation !== 'rows' && operation !== 'raw');

/** What may be of any type, so that a schema cannot name it. */
const OPEN =
	/(^|\.)(input|output|rawInput|data|metadata|messageMetadata|\w+Metadata|approvalDescriptor|request|chunk\.warnings)$/;

/** The paths of what a value holds and its schema does not describe. */
function undescribed(schema: Schema, value: unknown, at = ''): string[] {
	if (OPEN.test(at)) return [];
	if (Array.isArray(value)) {
		return schema.items ? value.flatMap((element) => undescribed(schema.items!, element, at)) : [at];
	}
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => {
		const where = at === '' ? key : `${at}.${key}`;
		const described = schema.properties?.[key];
		return described ? undescribed(described, inner, where) : OPEN.test(where) ? [] : [where];
	});
}

let service: Service;
let streams: Awaited<ReturnType<typeof serveStream>>;
beforeAll(async () => {
	service = await startService();
	streams = await serveStream((query) => events(...corpus.entries[Number(query)].chunks));
});
afterAll(async () => {
	await service.stop();
	await streams.stop();
});

it('every operation has one, and nothing else has', () => {
	expect(readdirSync(FOLDER).sort()).toEqual(operations.map((operation) => `${operation}.json`).sort());
});

describe.each(operations)('the output schema of the operation %s', (operation) => {
	const schema = JSON.parse(readFileSync(path.join(FOLDER, `${operation}.json`), 'utf8')) as Schema;
	const validate = new Ajv({ strict: false }).compile(schema);
	const record = async (target: typeof service | typeof streams.target, query: string) => {
		const options = operation === 'background' ? {} : { ifIncomplete: 'partial' };
		const { items } = await runAutomation(target, { operation, query, options });
		expect(items).not.toEqual([]);
		return items.map(({ json }) => json);
	};

	it.each(['quick look around', 'failed', 'cut', 'garbage'])('describes what %s returns', async (query) => {
		for (const json of await record(service, query)) {
			expect({ json, valid: validate(json), undescribed: undescribed(schema, json) }).toEqual({
				json,
				valid: true,
				undescribed: [],
			});
		}
	});

	if (operation === 'background') return;
	it('describes what every sequence of the corpus returns', async () => {
		const input = corpus.entries.map((_entry, index) => ({ index }));
		const options = {
			ifIncomplete: 'partial',
			parallelRuns: 8,
		};
		const { items } = await runAutomation(
			streams.target,
			{ operation, query: '={{ String($json.index) }}', options },
			{ input },
		);
		const seen = new Set<string>();
		for (const { json } of items) {
			for (const key of undescribed(schema, json)) seen.add(key);
			if (!validate(json)) seen.add(JSON.stringify(validate.errors));
		}
		expect([...seen]).toEqual([]);
		expect(items.length).toBeGreaterThanOrEqual(input.length);
	});
});
