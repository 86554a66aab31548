/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import Ajv from 'ajv';
import { readdirSync, readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';

import corpus from '../corpus/ui-message-stream.json';
import { runAutomation } from '../engine/run-node';
import { events, serveStream } from '../engine/serve-stream';
import { resultFields } from '../support/result-fields';
import { useService } from '../support/use-service';

const FOLDER = 'nodes/RunAutomation/__schema__/v1.0.0';
const service = useService();

/** The schema of an operation, to which nothing is added that it does not describe, unless it may be of any type. */
const strictSchema = (operation: string) =>
	JSON.parse(readFileSync(`${FOLDER}/${operation}.json`, 'utf8'), (key, schema: { type?: string }) =>
		schema?.type === 'object' && !['input', 'data'].includes(key) ? { ...schema, additionalProperties: false } : schema,
	) as object;

/** What a schema says against items: what does not fit, and what it does not describe. */
function problemsOf(operation: string, items: Array<{ json: IDataObject }>) {
	const validate = new Ajv({ strict: false }).compile(strictSchema(operation));
	expect(items.length).toBeGreaterThan(0);
	return items.flatMap(({ json }) => (validate(json) ? [] : validate.errors!));
}

it('only operations have one whose output depends on nothing else', () => {
	expect(readdirSync(FOLDER).sort()).toEqual(['background.json', 'result.json']);
});

it('the output schema of the operation result names the fields that Simplify leaves', () => {
	const { properties } = strictSchema('result') as { properties: object };
	const inFile = (names: string[]) => names.map((name) => `${FOLDER}/result.json: ${name}`).sort();
	expect(inFile(Object.keys(properties))).toEqual(inFile(resultFields.simple));
});

it('the output schema of the operation background describes what it returns', async () => {
	const { items } = await runAutomation(service, { operation: 'background', query: 'quick' });
	expect(problemsOf('background', items)).toEqual([]);
});

it('the output schema of the operation result describes what every sequence of the corpus returns', async () => {
	const streams = await serveStream((query) => events(...corpus.entries[Number(query)].chunks));
	const options = { ifIncomplete: 'partial', parallelRuns: 8 };
	const input = corpus.entries.map((_entry, index) => ({ index }));
	const form = { query: '={{ String($json.index) }}', options };
	const { items } = await runAutomation(streams.target, form, { input });
	expect(problemsOf('result', items)).toEqual([]);
	expect(items).toHaveLength(input.length);
});
