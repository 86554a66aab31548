/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RoutingNode, type ExecuteContext } from 'n8n-core';
import { NodeConnectionTypes, type IExecuteFunctions, type INode, type INodeType } from 'n8n-workflow';
import { BROWSER_AUTOMATION, registry, RUN_AUTOMATION } from '../engine/run-node';
import { runWorkflow, type RunResult } from '../engine/run-workflow';
import { events } from '../engine/serve-stream';
import { readRow, table, tableRow } from '../support/report';

const NODE = 'Run';

/** Milliseconds between two tries, and those of a case in which Stop comes between them. */
const WAIT = 10;
const WAIT_FOR_STOP = 200;

/** A case that the engine plays with *Retry On Fail* at three tries. */
interface RetryCase {
	name: string;
	/** What the service does with the starts of each item, in words of `RESPONSES`; the last one is repeated. */
	items: string[];
	type?: string;
	parameters?: Record<string, unknown>;
	options?: Record<string, unknown>;
	onError?: INode['onError'];
	/** How often a loop leads to the node. */
	rounds?: number;
	/** Presses Stop once the first start has arrived. */
	stops?: boolean;
}

/** What was seen of a case. */
export interface SeenRetries {
	name: string;
	/** How often n8n executed the node. */
	tries: number;
	/** Starts that the service received for each item, or for each round of a loop. */
	starts: number[];
	shown: string;
}

const stream = (response: ServerResponse, ...chunks: unknown[]) =>
	response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': 'thread' }).write(events(...chunks));
const whole = (...chunks: unknown[]) => {
	return (response: ServerResponse) => (stream(response, ...chunks), response.end('data: [DONE]\n\n'));
};
const refuse = (status: number) => (response: ServerResponse) =>
	response.writeHead(status).end(JSON.stringify({ message: status === 429 ? 'Slow down' : 'Out of order' }));

const RESPONSES: Record<string, (response: ServerResponse) => unknown> = {
	completed: whole({ type: 'finish', finishReason: 'stop' }),
	failed: whole({ type: 'error', errorText: 'The site blocked the agent' }),
	approval: whole(
		{ type: 'tool-input-available', toolCallId: 'call', toolName: 'pay', input: { amount: 5 } },
		{ type: 'tool-approval-request', approvalId: 'approval', toolCallId: 'call' },
		{ type: 'finish', finishReason: 'tool-calls' },
	),
	broken: (response) => {
		stream(response, { type: 'start' });
		response.write(': keep-alive\n\n', () => response.destroy());
	},
	silent: (response) => stream(response, { type: 'start' }),
	'429': refuse(429),
	'500': refuse(500),
};

const PARALLEL = { parallelRuns: 4 };

/** The rows that the engine plays. */
const cases: RetryCase[] = [
	{ name: 'A run fails', items: ['failed completed'] },
	{
		name: 'A run fails twice, with _Also Restart Failed Runs_',
		items: ['failed failed completed'],
		options: { restartFailed: true },
	},
	{
		name: 'A run waits for approval, with _Also Restart Failed Runs_',
		items: ['approval completed'],
		options: { restartFailed: true },
	},
	{ name: 'The connection breaks during a run', items: ['broken completed'] },
	{ name: 'The service refuses two starts (`429`)', items: ['429 429 completed'] },
	{ name: 'The service responds to a start with `500`', items: ['500 completed'] },
	{
		name: 'The same, _Start in Background_',
		items: ['500 completed'],
		parameters: { operation: 'background' },
	},
	{
		name: 'The same, _Start_ of Browser Automation',
		items: ['500 completed'],
		type: BROWSER_AUTOMATION,
		parameters: { resource: 'automationRun', operation: 'start' },
	},
	{
		name: 'Four items, one run at a time, the second fails',
		items: ['completed', 'failed completed', 'completed', 'completed'],
	},
	{
		name: 'Four parallel runs, the second fails',
		items: ['completed', 'failed completed', 'completed', 'completed'],
		options: PARALLEL,
	},
	{
		name: 'Four parallel runs, the second is refused once (`429`)',
		items: ['completed', '429 completed', 'completed', 'completed'],
		options: PARALLEL,
	},
	{
		name: '_On Error_: _Continue_, the first of three runs fails',
		items: ['failed completed', 'completed', 'completed'],
		onError: 'continueRegularOutput',
	},
	{
		name: '_On Error_: _Continue (using error output)_, the first of three runs fails',
		items: ['failed completed', 'completed', 'completed'],
		onError: 'continueErrorOutput',
	},
	{
		name: 'A loop of two rounds, the run of each fails',
		items: ['failed completed'],
		onError: 'continueRegularOutput',
		rounds: 2,
	},
	{ name: 'Stop during a run', items: ['silent'], stops: true },
	{ name: 'Stop before a further try', items: ['429'], stops: true },
];

/** The rows that a real n8n plays in test/e2e, which writes and compares them. */
const PLAYED_IN_N8N = [
	'Set in the editor, a run fails',
	'Tool of the AI Agent, a run fails',
	'Tool of an AI Agent of version 2, a run fails',
	'Tool of the AI Agent, _Start_ of Browser Automation, response `500`',
	'Tool of an AI Agent of version 2, _Start_ of Browser Automation, response `500`',
	'Queue mode, a run fails',
	'Queue mode, Stop during a run',
	'Queue mode, the worker is killed during a run',
];

/** Sends its items back as often as a loop has rounds. */
const loop = (rounds: number): INodeType => ({
	description: {
		...{ displayName: 'Loop', name: 'loop', group: [], version: 1, description: '', defaults: {}, properties: [] },
		...{ inputs: [NodeConnectionTypes.Main], outputs: [NodeConnectionTypes.Main] },
	},
	async execute(this: IExecuteFunctions) {
		const round = Number(this.evaluateExpression('{{ $runIndex }}', 0));
		return [round + 1 < rounds ? this.getInputData().map((_, item) => ({ json: {}, pairedItem: item })) : []];
	},
});

/** A node that tells of each of its executions. */
function counting(node: INodeType, onExecute: () => void): INodeType {
	async function routed(this: IExecuteFunctions) {
		return (await new RoutingNode(this as ExecuteContext, node).runNode()) ?? [];
	}
	const execute = node.execute ?? routed;
	return Object.assign(Object.create(node) as INodeType, {
		async execute(this: IExecuteFunctions) {
			onExecute();
			return await execute.call(this);
		},
	});
}

/** What the user sees: the error, or how each item ended. */
function shownOf(result: RunResult): string {
	const error = result.error(NODE);
	if (error) return [error.message, (error as { description?: string }).description].filter(Boolean).join('. ');
	if (result.run.status === 'canceled') return 'The execution is canceled';
	return [...result.items(NODE), ...result.items(NODE, 1)]
		.map(({ json }) => {
			const reason = (json.error as { message?: string } | undefined)?.message ?? json.error;
			return reason ? `error item: ${String(reason)}` : String(json.status);
		})
		.join(', ');
}

/** Plays one case against a service of its own. */
async function play({ name, items, type = RUN_AUTOMATION, ...given }: RetryCase): Promise<SeenRetries> {
	const { rounds = 1, stops, onError, options = {}, parameters } = given;
	const counts = items.flatMap(() => Array.from({ length: rounds }, () => 0));
	let arrived = () => {};
	const firstStart = new Promise<void>((resolve) => (arrived = resolve));
	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (bytes: Buffer) => (body += bytes.toString()));
		request.on('end', () => {
			const [item, round] = (JSON.parse(body) as { query: string }).query.split(' ').map(Number);
			const responses = items[item].split(' ');
			RESPONSES[responses[Math.min(counts[item * rounds + round]++, responses.length - 1)]](response);
			arrived();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	const nodes: Record<string, INodeType> = registry.nodes;
	let tries = 0;
	const node = (own: Partial<INode>) =>
		({ id: own.name, typeVersion: 1, position: [0, 0], parameters: {}, ...own }) as INode;
	const to = (target: string) => ({ main: [[{ node: target, type: NodeConnectionTypes.Main, index: 0 }]] });
	const result = await runWorkflow(
		{
			nodes: [
				node({ name: 'Start', type: 'test.start' }),
				node({ name: 'Loop', type: 'test.loop' }),
				node({
					...{
						name: NODE,
						type,
						onError,
						retryOnFail: true,
						maxTries: 3,
						waitBetweenTries: stops ? WAIT_FOR_STOP : WAIT,
					},
					parameters: { ...parameters, query: '={{ $itemIndex }} {{ $runIndex }}', options } as INode['parameters'],
					credentials: { browserAutomationApi: { id: '1', name: 'Local service' } },
				}),
			],
			connections: { Start: to(NODE), [NODE]: to('Loop'), Loop: to(NODE) },
		},
		{
			registry: {
				...registry,
				nodes: { ...nodes, [type]: counting(nodes[type], () => tries++), 'test.loop': loop(rounds) },
			},
			credentials: {
				browserAutomationApi: { apiKey: 'some-api-key', baseUrl: url, automationUrl: url, allowUnencrypted: false },
			},
			input: items.map(() => ({ json: {} })),
			cancelWhen: stops ? firstStart.then(async () => await sleep(WAIT_FOR_STOP / 2)) : undefined,
		},
	);
	// After Stop, n8n tries the node once more.
	if (stops) await sleep(WAIT_FOR_STOP * 2);
	server.closeAllConnections();
	server.close();
	return { name, tries, starts: counts, shown: shownOf(result) };
}

/** Plays every case. */
export const observeRetries = async (): Promise<SeenRetries[]> => await Promise.all(cases.map(play));

const HEAD = ['Case', 'Tries of n8n', 'Starts of each run', 'What the user sees'];

/** The table of docs/reliability.md about retries. The rows that a real n8n plays stay as they are. */
export function retryTable(seen: SeenRetries[]): string {
	const played = table(
		HEAD,
		seen.map(({ name, tries, starts, shown }) => [name, tries, starts.join(', '), shown]),
	);
	const others = PLAYED_IN_N8N.map((name) => readRow('retries', name) ?? tableRow([name, '', '', '']));
	return `${played}${others.join('\n')}\n`;
}
