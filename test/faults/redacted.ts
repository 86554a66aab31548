/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import { createRequire } from 'node:module';
import { stringify } from 'flatted';
import type { INode, INodeParameters, IRunExecutionData } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { events, finish, serveStream, streamHeaders, textChunks } from '../engine/serve-stream';
import { threadOf } from '../engine/thread-of';

/**
 * Hands what n8n stores of executions to n8n's own redaction, and prints where a canary is left. Its argument is the folder of an
 * installed n8n: test/e2e/redaction.test.mjs has one.
 */
const CANARY = 'canary-5f3a9c';

const [n8nFolder] = process.argv.slice(2);
const load = createRequire(`${n8nFolder}/dist/modules/redaction/executions/`);
const { ExecutionRedactionService } = load('./execution-redaction.service.js');
const { FullItemRedactionStrategy } = load('./strategies/full-item-redaction.strategy.js');

/** n8n's redaction, licensed, for a user who must not see the data. */
const redaction = new ExecutionRedactionService(
	{ debug() {} },
	{ isDataRedactionLicensed: () => true },
	{ findWorkflowIdsWithScopeForUser: async () => new Set() },
	{ emit() {} },
	new FullItemRedactionStrategy(),
) as { processExecution(execution: object, options: object): Promise<{ data: IRunExecutionData }> };

const ROWS = `Found ${CANARY}\n\n\`\`\`json\n{"rows":[{"age":1,"name":"${CANARY}"}]}\n\`\`\``;
const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=', filename: CANARY };

/** The run of the second item of an execution; that of the first one completes. */
const STREAMS: Record<string, string> = {
	completed: events(...textChunks(ROWS), file, finish),
	'with invalid rows': events(...textChunks(ROWS.replace('1', `"${CANARY}"`)), file, finish),
	'not done': events(...textChunks(`TASK NOT DONE: ${CANARY}`), finish),
	failed: events(...textChunks(ROWS), { type: 'error', errorText: CANARY }),
	interrupted: events(...textChunks(ROWS)),
};

const columns = {
	column: ['age:number', 'name:text'].map((one) => one.split(':')).map(([name, type]) => ({ name, type })),
};
const FORMS: INodeParameters[] = [
	{ operation: 'result', options: { simplify: false } },
	{ operation: 'rows', columns, options: { includeRunDetails: true } },
	{ operation: 'raw', output: 'message' },
].map((form) => ({ ...form, query: '={{ $itemIndex }}' }));
const ON_ERROR: Array<Partial<INode>> = [{}, { onError: 'continueRegularOutput' }, { onError: 'continueErrorOutput' }];

/** A policy for the execution. Without one, a person hides the data by hand, which a node cannot know. */
const POLICY = { redaction: { version: 2, production: true, manual: false } } as never;

const report = { executions: 0, before: 0, found: [] as string[], withoutPolicy: [] as string[] };

/** Runs a node, lets n8n redact its execution, and notes where the canary is left. */
async function redact(where: string, run: (options: NodeRunOptions) => ReturnType<typeof runNode>) {
	for (const hasPolicy of [true, false]) {
		const mode = 'trigger';
		const { run: ran } = await run({ mode, ...(hasPolicy && { runtimeData: POLICY }) });
		report.executions++;
		if (stringify(ran.data).includes(CANARY)) report.before++;
		const execution = { id: '1', mode, workflowId: 'test-workflow', workflowData: { nodes: [] }, data: ran.data };
		const byHand = hasPolicy ? {} : { redactExecutionData: true };
		const { data } = await redaction.processExecution(execution, { user: { id: 'somebody' }, ...byHand });
		if (stringify(data).includes(CANARY)) report[hasPolicy ? 'found' : 'withoutPolicy'].push(where);
	}
}

async function redactAll() {
	for (const [name, body] of Object.entries(STREAMS)) {
		const { target, stop } = await serveStream((task, response) => {
			response.writeHead(200, streamHeaders(threadOf(`thread-${task}`))).end(task === '0' ? STREAMS.completed : body);
		});
		const input = [{ json: { text: CANARY } }, { json: { text: CANARY } }];
		for (const form of FORMS)
			for (const node of ON_ERROR)
				await redact(`${String(form.operation)}, ${name}, ${JSON.stringify(node)}`, async (options) => {
					return await runNode(RUN_AUTOMATION, target, form, { node, input, ...options });
				});
		await stop();
	}
	const { target, stop } = await serveStream(
		() => CANARY,
		(_, response) => response.writeHead(422, { 'content-type': 'application/json' }).end(`{"message":"${CANARY}"}`),
	);
	for (const { resource, operation, required } of operations)
		for (const node of ON_ERROR)
			await redact(`${resource} ${operation}`, async (options) => {
				return await runNode(BROWSER_AUTOMATION, target, { resource, operation, ...required }, { node, ...options });
			});
	await stop();
	console.log(`\nREPORT ${JSON.stringify(report)}`);
	process.exit();
}

void redactAll();
