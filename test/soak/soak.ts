/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import { sleep, type INodeParameters } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, RUN_FORMS, runAutomation, runNode, type Target } from '../engine/run-node';
import { startService } from '../service/service';
import { machine, table } from '../support/report';
import { within } from '../support/within';

/**
 * Runs both nodes for minutes in one process, on the real engine, through good runs and through faults, and looks
 * whether memory, sockets and timers stay as they are. Usage: soak.ts [minutes], with --expose-gc.
 */
const minutes = Number(process.argv[2] ?? 10);

const PARALLEL = 8;
const SAMPLES = 20;
/** Longer than the node keeps the last timer of a run. */
const SETTLE = 1500;
/** Seconds within which every connection is closed, even on a busy machine. */
const PATIENCE_S = 60;

/** For runs that end by a limit only. */
const LIMITS = { idleTimeout: 3, totalTimeout: 10 };
const GOOD = ['quick a', 'huge 2000', 'lines a', 'open a', 'echo a', 'headless a'];
const INCOMPLETE = ['garbage a', 'failed a', 'aborted a', 'cut a', 'ended a', 'hang a', 'silent'];
const UNANSWERED = ['mute', 'reset', 'json', 'empty500', 'status 429', 'status 529'];
const FORMS = RUN_FORMS.filter(({ operation }) => operation !== 'background');

/** One kind of work, and whether it must end in an error; undefined if it may, too. */
type Work = [fails: boolean | undefined, run: (target: Target) => Promise<{ error: Error | undefined }>];

const started = (fails: boolean, form: object, streaming = false): Work => [
	fails,
	async (target) => await runAutomation(target, form as INodeParameters, { streaming }),
];
const streamed = (fails: boolean, queries: string[], options = {}) =>
	queries.map((query, i) =>
		started(fails, { query, ...FORMS[i % FORMS.length], options: { waitIfBusy: 0, ...options } }, i % 3 === 0),
	);

const works: Work[] = [
	...streamed(false, GOOD),
	...streamed(true, [...INCOMPLETE, ...UNANSWERED], LIMITS),
	...streamed(false, INCOMPLETE, { ...LIMITS, ifIncomplete: 'partial' }),
	started(false, { query: 'quick', operation: 'background' }),
	// The Stop button: n8n has closed the execution before it receives the node's error.
	[undefined, async (target) => await runAutomation(target, { query: 'trickle' }, { cancelWhen: sleep(100) })],
	...operations.map(
		({ resource, operation, required }): Work => [
			// The stand-in may have deleted their object.
			['secret', 'mailbox'].includes(resource) ? undefined : false,
			async (target) => await runNode(BROWSER_AUTOMATION, target, { resource, operation, ...required }),
		],
	),
];

const HEAD = ['Minute', 'Runs', 'Heap (MB)', 'Process (MB)', 'Open sockets', 'Timers'];

/** How much a column may rise after the warm-up; a leak of a few bytes a run is more than that in the end. */
const ALLOWED = { 'Heap (MB)': 6, 'Process (MB)': 25, 'Open sockets': 0, Timers: 0 };

/** A row of the table. */
async function sample(minute: number, runs: number): Promise<number[]> {
	global.gc!();
	await sleep(50);
	global.gc!();
	const { heapUsed, rss } = process.memoryUsage();
	const resources = process.getActiveResourcesInfo();
	const [sockets, timers] = [/TCPSocket|TLS/, /Timeout|Immediate/].map(
		(name) => resources.filter((resource) => name.test(resource)).length,
	);
	const mb = (bytes: number) => Math.round((bytes / 2 ** 20) * 10) / 10;
	return [Math.round(minute * 100) / 100, runs, mb(heapUsed), mb(rss), sockets, timers];
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** What grew from the second quarter to the last. The first one is warm-up: code is compiled, pools are filled. */
function findGrowth(samples: number[][]): string[] {
	const quarter = Math.floor(samples.length / 4);
	return Object.entries(ALLOWED).flatMap(([column, allowed]) => {
		const of = (rows: number[][]) => median(rows.map((row) => row[HEAD.indexOf(column)]));
		const [early, late] = [of(samples.slice(quarter, 2 * quarter)), of(samples.slice(-quarter))];
		return late - early > allowed ? [`${column} rose from ${early} to ${late}`] : [];
	});
}

async function soak() {
	const service = await startService();
	const begin = Date.now();
	let runs = 0;
	const samples: number[][] = [];
	const problems = new Set<string>();
	const runNext = async () => {
		const index = runs++ % works.length;
		const [fails, run] = works[index];
		const { error } = await run(service);
		if (fails === undefined || fails === (error !== undefined)) return;
		problems.add(`work ${index} ended with ${error?.message ?? 'a result'}`);
	};
	for (let index = 0; index <= SAMPLES; index++) {
		const until = begin + (minutes * 60_000 * index) / SAMPLES;
		const work = async () => {
			do await runNext();
			while (Date.now() < until - SETTLE);
		};
		await Promise.all(Array.from({ length: PARALLEL }, work));
		await sleep(SETTLE);
		for (const violation of service.violations) problems.add(violation);
		const closings = Promise.all(service.starts.map(async ({ closed }) => await closed));
		await within(PATIENCE_S, 'a connection at the service', closings).catch(({ message }: Error) =>
			problems.add(message),
		);
		// What the service remembers would be taken for memory of the nodes.
		service.reset();
		samples.push(await sample((Date.now() - begin) / 60_000, runs));
	}
	await service.stop();

	const found = [...problems, ...findGrowth(samples)];
	const flat = 'Flat: no growth of memory, sockets or timers after the warm-up (first quarter)';
	const verdict = found.length ? `Problems: ${found.join('; ')}` : flat;
	const text = [
		`${runs} runs in ${minutes} minutes, ${PARALLEL} at a time, in one process: ${works.length} kinds of work: `,
		'good runs, and problems of both nodes. Memory after garbage collection.\n\n',
		table(HEAD, samples),
		`\n${verdict}.\n\nMeasured: ${machine()}.\n`,
	].join('');
	console.log(text);
	process.exitCode = found.length ? 1 : 0;
}

void soak();
