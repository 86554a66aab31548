/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- test code, never shipped */
import '../engine/env';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sleep } from 'n8n-workflow';

import { runAutomation, type Target } from '../engine/run-node';

// Run Automation on n8n's own engine: many runs at a time, and many items.

const AT_A_TIME = 200;
const POINTS = [
	{ items: 200, milliseconds: 2000 },
	{ items: 5000, milliseconds: 100 },
];

function memoryInUse() {
	global.gc!();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

async function execute(target: Target, items: number, milliseconds: number) {
	const input = Array.from({ length: items }, () => ({}));
	const options = { parallelRuns: AT_A_TIME };
	const result = await runAutomation(target, { query: String(milliseconds), options }, { input, mode: 'trigger' });
	if (result.items.some(({ json }) => json.status !== 'completed'))
		throw result.error ?? new Error('Not all runs completed');
}

/** A row: how long so many items take, beside what the service alone takes, and what each costs. */
async function measure(target: Target, { items, milliseconds }: (typeof POINTS)[number]) {
	const before = { cpu: process.cpuUsage(), memory: memoryInUse(), time: performance.now() };
	const executed = execute(target, items, milliseconds);
	// In the middle of the first runs, so many are open.
	await sleep(milliseconds / 2);
	const memory = memoryInUse() - before.memory;
	await executed;
	const seconds = (performance.now() - before.time) / 1000;
	const { user, system } = process.cpuUsage(before.cpu);
	const ideal = (Math.ceil(items / AT_A_TIME) * milliseconds) / 1000;
	const kB = Math.round(memory / AT_A_TIME / 1000);
	return {
		Items: items,
		'The service alone': `${ideal} s`,
		Time: `${seconds.toFixed(2)} s`,
		'Processor for each': `${((user + system) / 1000 / items).toFixed(2)} ms`,
		'Memory for each open run': `${kB} kB`,
	};
}

async function main() {
	const server = fork(path.join(__dirname, 'server.ts'));
	const [url] = (await once(server, 'message')) as [string];
	const target = { baseUrl: url, automationUrl: url, apiKey: 'bench-key' };
	// Code that is not warm is no property of many runs.
	await execute(target, AT_A_TIME / 10, 100);
	const rows = [];
	for (const point of POINTS) rows.push(await measure(target, point));
	server.kill();
	console.log(`Run Automation, ${AT_A_TIME} runs at a time:`);
	console.table(rows);
	process.exit();
}

void main();
