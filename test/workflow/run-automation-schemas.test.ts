/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import Ajv from 'ajv';
import { readdirSync, readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';

import corpus from '../corpus/ui-message-stream.json';
import { runAutomation } from '../engine/run-node';
import { events, serveStream } from '../engine/serve-stream';
import { useService } from '../support/use-service';

interface Schema {
	properties?: Record<string, Schema>;
	items?: Schema;
}

const FOLDER = 'nodes/RunAutomation/__schema__/v1.0.0';
const service = useService();

/** What may be of any type, so that a schema cannot name it. */
const OPEN = /^(input|data)$/;

/** The paths of what a value holds and its schema does not describe. */
function undescribed(schema: Schema, value: unknown, at = ''): string[] {
	if (Array.isArray(value)) {
		return schema.items ? value.flatMap((element) => undescribed(schema.items!, element, at)) : [at];
	}
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => {
		const described = schema.properties?.[key];
		if (OPEN.test(key)) return [];
		return described ? undescribed(described, inner, `${at}.${key}`) : [`${at}.${key}`];
	});
}

/** What a schema says against items: what does not fit, and what it does not describe. */
function problemsOf(operation: string, items: Array<{ json: IDataObject }>) {
	const schema = JSON.parse(readFileSync(`${FOLDER}/${operation}.json`, 'utf8')) as Schema;
	const validate = new Ajv({ strict: false }).compile(schema);
	expect(items.length).toBeGreaterThan(0);
	return items.flatMap(({ json }) => [...undescribed(schema, json), ...(validate(json) ? [] : validate.errors!)]);
}

it('only operations have one whose output depends on nothing else', () => {
	expect(readdirSync(FOLDER).sort()).toEqual(['background.json', 'result.json']);
});

it.each([['background', 'quick'], ...['look around', 'failed', 'cut', 'garbage'].map((query) => ['result', query])])(
	'the output schema of the operation %s describes what %s returns',
	async (operation, query) => {
		const form = { operation, query, options: { ifIncomplete: 'partial' } };
		const { items } = await runAutomation(service, form);
		expect(problemsOf(operation, items)).toEqual([]);
	},
);

it('the output schema of the operation result describes what every sequence of the corpus returns', async () => {
	const streams = await serveStream((query) => events(...corpus.entries[Number(query)].chunks));
	const options = { ifIncomplete: 'partial', parallelRuns: 8 };
	const input = corpus.entries.map((_entry, index) => ({ index }));
	const form = { query: '={{ String($json.index) }}', options };
	const { items } = await runAutomation(streams.target, form, { input });
	await streams.stop();
	expect(problemsOf('result', items)).toEqual([]);
	expect(items).toHaveLength(input.length);
});
