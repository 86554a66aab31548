/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- test code, never shipped */
import '../engine/env';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sleep } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, RUN_FORMS, runAutomation, runNode, type Target } from '../engine/run-node';
import { machine, table, writeSection } from '../support/report';

/**
 * Runs both nodes for minutes in one process, on the real engine, through good runs and through faults, and looks
 * whether memory, sockets and timers stay as they are. Usage: soak.ts [minutes] [--write], with --expose-gc.
 */
const minutes = Number(process.argv.find((argument) => /^[\d.]+$/.test(argument)) ?? 10);
const mayWrite = process.argv.includes('--write');

const PARALLEL = 8;
const SAMPLES = 20;
/** Longer than the node keeps the last timer of a run. */
const SETTLE = 1500;
/** What a sample may differ without being called growth; a leak of a few bytes a run is more than that in the end. */
const ALLOWED = { heapMb: 6, rssShare: 0.15 };

/** For runs that end by a limit only. */
const LIMITS = { idleTimeout: 3, totalTimeout: 10 };
const GOOD = ['quick a', 'huge 2000', 'garbage a', 'lines a', 'open a', 'echo a', 'headless a'];
const INCOMPLETE = ['failed a', 'aborted a', 'cut a', 'ended a', 'hang a', 'silent'];
const UNANSWERED = ['mute', 'reset', 'json', 'html', 'status 429', 'status 529'];
const FORMS = RUN_FORMS.filter(({ operation }) => operation !== 'background');

/** One kind of work, and whether it must end in an error; undefined where the stand-in may have deleted its object. */
interface Work {
	fails?: boolean;
	run(target: Target): Promise<{ error: Error | undefined }>;
}

const started = (fails: boolean, query: string, index: number, limits = {}, ifIncomplete = 'error'): Work => ({
	fails,
	run: async (target) =>
		await runAutomation(
			target,
			{ query, ...FORMS[index % FORMS.length], options: { ...limits, ifIncomplete } },
			{ streaming: index % 3 === 0 },
		),
});

const works: Work[] = [
	...GOOD.map((query, index) => started(false, query, index)),
	...INCOMPLETE.map((query, index) => started(true, query, index, LIMITS)),
	...INCOMPLETE.map((query, index) => started(false, query, index + 1, LIMITS, 'partial')),
	...UNANSWERED.map((query, index) => started(true, query, index, LIMITS)),
	{
		// The Stop button: n8n has closed the execution before it receives the node's error.
		run: async (target) =>
			await runAutomation(target, { query: 'trickle', options: LIMITS }, { cancelWhen: sleep(100) }),
	},
	{ fails: false, run: async (target) => await runAutomation(target, { query: 'quick', operation: 'background' }) },
	...operations.map(
		({ resource, operation, required }): Work => ({
			...(['secret', 'mailbox'].includes(resource) ? {} : { fails: false }),
			run: async (target) => await runNode(BROWSER_AUTOMATION, target, { resource, operation, ...required }),
		}),
	),
];

/** The columns of the table, and a row of it. */
const HEAD = ['Minute', 'Runs', 'Heap (MB)', 'Process (MB)', 'Open sockets', 'Timers'];
type Sample = number[];
const [HEAP, PROCESS, SOCKETS, TIMERS] = [2, 3, 4, 5];

const mb = (bytes: number) => Math.round((bytes / 2 ** 20) * 10) / 10;
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function sample(minute: number, runs: number): Promise<Sample> {
	await sleep(SETTLE);
	global.gc!();
	await sleep(50);
	global.gc!();
	const { heapUsed, rss } = process.memoryUsage();
	const resources = process.getActiveResourcesInfo();
	const count = (name: RegExp) => resources.filter((resource) => name.test(resource)).length;
	const [sockets, timers] = [count(/TCP|TLS/), count(/Timeout|Immediate/)];
	return [Math.round(minute * 100) / 100, runs, mb(heapUsed), mb(rss), sockets, timers];
}

/** What grew, in sentences. The first quarter is warm-up: code is compiled, pools are filled. */
function findGrowth(samples: Sample[]): string[] {
	const settled = samples.slice(Math.floor(samples.length / 4));
	const third = Math.ceil(settled.length / 3);
	const [early, late] = [settled.slice(0, third), settled.slice(-third)];
	const of = (list: Sample[], column: number) => median(list.map((entry) => entry[column]));
	const heap = of(late, HEAP) - of(early, HEAP);
	const rss = of(late, PROCESS) / of(early, PROCESS) - 1;
	const rising = [SOCKETS, TIMERS].filter((column) => settled.some((entry) => entry[column] > samples[0][column]));
	return [
		...(heap > ALLOWED.heapMb ? [`the heap grew by ${heap.toFixed(1)} MB`] : []),
		...(rss > ALLOWED.rssShare ? [`the process grew by ${Math.round(rss * 100)} %`] : []),
		...rising.map((column) => `${HEAD[column]} rose`),
	];
}

async function soak() {
	if (!global.gc) throw new Error('Run with --expose-gc');
	const service = fork(path.join(__dirname, 'serve.js'), { execArgv: [] });
	const [target] = (await once(service, 'message')) as [Target];
	const begin = Date.now();
	const length = minutes * 60_000;
	let runs = 0;
	const samples: Sample[] = [];
	const violations: string[] = [];
	const runNext = async () => {
		const index = runs++ % works.length;
		const { fails, run } = works[index];
		const { error } = await run(target);
		if (fails !== undefined && fails !== (error !== undefined)) {
			violations.push(`work ${index} ended with ${error?.message ?? 'a result'}`);
		}
	};
	for (let index = 0; index <= SAMPLES; index++) {
		const until = begin + (length * index) / SAMPLES;
		const work = async () => {
			do await runNext();
			while (Date.now() < until - SETTLE);
		};
		await Promise.all(Array.from({ length: PARALLEL }, work));
		samples.push(await sample((Date.now() - begin) / 60_000, runs));
		service.send('count');
		const [count] = (await once(service, 'message')) as [{ open: number; violations: string[] }];
		if (count.open > 0) violations.push(`${count.open} connections were still open at the service`);
		violations.push(...count.violations);
	}
	service.disconnect();

	const faults = [...new Set(violations), ...findGrowth(samples)];
	const verdict = faults.length
		? `Problems: ${faults.join('; ')}.`
		: 'Flat: no growth of memory, sockets or timers after the warm-up (first quarter).';
	const text = [
		`${runs} runs in ${minutes} minutes, ${PARALLEL} at a time, in one process: ${works.length} kinds of work, `,
		'good runs and faults of both nodes. Memory after garbage collection.\n\n',
		table(HEAD, samples),
		`\n${verdict}\n\nMeasured: ${machine()}.\n`,
	].join('');
	console.log(text);
	if (mayWrite) writeSection('soak', text);
	process.exitCode = faults.length ? 1 : 0;
}

void soak();
