/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import 'reflect-metadata';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeParameters, INodeType } from 'n8n-workflow';
import { operations } from '../contract/operations';
import { asTool } from '../engine/as-tool';
import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import type { Registry } from '../engine/run-workflow';
import { startService, type Service } from '../service/service';

const { PACKAGE_FOLDER: folder = '', RESULTS_FILE: file = '' } = process.env;
/** What the newest n8n gave, by the name of the test. The first run writes it, every further one compares. */
const expected: Record<string, unknown> | undefined = existsSync(file)
	? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
	: undefined;
const results: Record<string, unknown> = {};

let service: Service;
let registry: Registry;

beforeAll(async () => {
	service = await startService();
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	const nodes = Object.entries(loader.nodeTypes).map(
		([name, { type }]) => [`n8n-nodes-browser-automation.${name}`, type as INodeType] as const,
	);
	registry = {
		nodes: Object.fromEntries(
			nodes.flatMap(([name, type]) => [
				[name, type],
				[`${name}Tool`, asTool(type)],
			]),
		),
		credentials: Object.fromEntries(
			Object.entries(loader.credentialTypes).map(([name, { type }]) => [name, type as ICredentialType]),
		),
	};
});
beforeEach(() => service.reset());
afterEach(() => expect(service.violations).toEqual([]));
afterAll(async () => {
	await service.stop();
	if (!expected) writeFileSync(file, JSON.stringify(results));
});

/** A result without what differs from run to run. */
const steady = (value: unknown): unknown =>
	JSON.parse(
		JSON.stringify(value)
			.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '<uuid>')
			.replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '<time>')
			.replace(/127\.0\.0\.1:\d+/g, '<address>'),
	);

/** Runs a node of the loaded package and compares what it gave with what it gives on the newest n8n. */
async function expectSame(type: string, parameters: INodeParameters, options: NodeRunOptions = {}) {
	const { items, errorItems, chunks, error, hints, run } = await runNode(type, service, parameters, {
		registry,
		...options,
	});
	const filesOf = (binary: (typeof items)[number]['binary']) =>
		Object.entries(binary ?? {}).map(([name, { data, mimeType, fileName }]) => ({
			name,
			mimeType,
			fileName,
			text: Buffer.from(data, 'base64').toString(),
		}));
	const read = (list: typeof items) => list.map(({ json, binary }) => ({ json, files: filesOf(binary) }));
	const result = steady({
		items: read(items),
		errorItems: read(errorItems),
		chunks: chunks.map(({ type: kind, content }) => [kind, content]),
		error: error && [error.name, error.message, error.description, error.context],
		hints,
		customData: run.data.resultData.metadata,
		requests: service.requests.map(({ method, path, query, body, status }) => [method, path, query, body, status]),
	});
	const { currentTestName: name = '' } = expect.getState();
	results[name] = result;
	if (expected) expect(result).toEqual(expected[name]);
	return { items, errorItems, chunks, error };
}

test('the loader of n8n finds both nodes and the credential', () => {
	expect(Object.keys(registry.nodes)).toEqual(expect.arrayContaining([BROWSER_AUTOMATION, RUN_AUTOMATION]));
	expect(Object.keys(registry.credentials)).toContain('browserAutomationApi');
});

describe.each(['', 'Tool'])('Browser Automation%s', (suffix) => {
	test.each(operations)('$resource $operation', async ({ resource, operation, full }) => {
		const form = { resource, operation, ...full, allowAgent: true };
		const { items, error } = await expectSame(BROWSER_AUTOMATION + suffix, form);
		expect(error).toBeUndefined();
		expect(items).not.toEqual([]);
	});

	test('gives the reason of the service', async () => {
		const form = { resource: 'session', operation: 'getScript', sessionId: 'gone' };
		const { error } = await expectSame(BROWSER_AUTOMATION + suffix, form);
		expect(error?.message).toContain('Session not found');
	});
});

describe.each(['', 'Tool'])('Run Automation%s', (suffix) => {
	const type = RUN_AUTOMATION + suffix;

	test('starts in the background', async () => {
		const { items } = await expectSame(type, { operation: 'background', query: 'quick task' });
		expect(items).toMatchObject([{ json: { status: 'started' } }]);
	});

	test.each(['result', 'message', 'parts', 'chunks'])('reads a run as %s', async (operation) => {
		const { items, error } = await expectSame(type, { operation, query: 'Find three offers' });
		expect(error).toBeUndefined();
		expect(items).not.toEqual([]);
	});

	test.each(['failed task', 'cut task'])('%s is an error that keeps what arrived', async (query) => {
		const { error } = await expectSame(type, { operation: 'result', query });
		expect(error?.context.details).toMatchObject({ text: 'Done: task.' });
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)('a failed run with %s', async (onError) => {
		const parameters = { operation: 'result', query: 'failed task' };
		const { items, errorItems } = await expectSame(type, parameters, { node: { onError } });
		expect([items.length, errorItems.length]).toEqual(onError === 'continueErrorOutput' ? [0, 1] : [1, 0]);
	});
});

test('a run is shown live', async () => {
	const parameters = { operation: 'result', query: 'slow 1', options: { live: ['text'] } };
	const { chunks } = await expectSame(RUN_AUTOMATION, parameters, { streaming: true });
	expect(chunks.map(({ type }) => type)).toEqual(expect.arrayContaining(['begin', 'item', 'end']));
});

test('a stopped execution closes the connection', async () => {
	const parameters = { operation: 'result', query: 'hang task' };
	await expectSame(RUN_AUTOMATION, parameters, { cancelWhen: service.waitForStart() });
	expect(await service.starts[0].closed).toBe('aborted');
});
