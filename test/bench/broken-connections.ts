/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import type { INodeParameters } from 'n8n-workflow';

import { runAutomation } from '../engine/run-node';
import { startService } from '../service/service';
import { doneTwice } from '../service/agent/steady-agent';
import { startCuttingProxy } from '../support/cutting-proxy';

// How many runs end with their rows behind a proxy that cuts each response after a time of its own. The clock of the nodes goes ten times
// as fast, and everything else takes a tenth of its time.

const RUNS = 100;
const RUN_SECONDS = 20;
const CUT_WITHIN_SECONDS = 30;
const SPEED = 10;

const { now } = performance;
performance.now = () => now.call(performance) * SPEED;

async function measure(name: string, options: INodeParameters) {
	const service = await startService();
	let cuts = 0;
	// Spread evenly, in steps of the golden ratio: the same each time.
	const seconds = () => ((cuts++ * 0.618034) % 1) * CUT_WITHIN_SECONDS;
	const port = Number(new URL(service.automationUrl).port);
	const proxy = await startCuttingProxy(port, () => (seconds() * 1000) / SPEED);
	const automationUrl = service.automationUrl.replace(/^http:\/\/[^/]+/, proxy.origin);
	const target = { baseUrl: service.baseUrl, automationUrl, apiKey: service.apiKey };
	const form = {
		operation: 'rows',
		query: `steady ${RUN_SECONDS / SPEED} Order it`,
		columns: { column: [{ name: 'state', type: 'text' }] },
		options: { parallelRuns: RUNS, ...options },
	};
	const input = Array.from({ length: RUNS }, () => ({}));
	const settings = { onError: 'continueRegularOutput' } as const;
	const { items } = await runAutomation(target, form, { input, settings });
	const withRows = items.filter(({ json }) => json.state === 'Done').length;
	const refused = service.requests.filter(({ status }) => status === 409).length;
	await proxy.stop();
	await service.stop();
	return {
		'If Connection Is Lost': name,
		'Runs that end with their rows': withRows,
		'Accepted starts': service.starts.length - refused,
		'Steps done twice': doneTwice(service.state),
	};
}

async function main() {
	const asks = { ifConnectionBreaks: 'askInThread' };
	const rows = [
		await measure('Off', {}),
		await measure('One follow-up', { ...asks, followUps: 1 }),
		await measure('Two follow-ups', { ...asks, followUps: 2 }),
	];
	console.log(
		`${RUNS} runs of ${RUN_SECONDS} s, each response cut within ${CUT_WITHIN_SECONDS} s (at ${SPEED} times the speed):`,
	);
	console.table(rows);
	process.exit();
}

void main();
