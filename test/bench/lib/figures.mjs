import { readFileSync } from 'node:fs';

/** The middle value; of two middle ones their mean. */
export function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/**
 * Lets contenders take turns, so that a busy moment meets all of them.
 *
 * @param {string[]} contenders
 * @param {number} rounds
 * @param {(contender: string) => Promise<any>} measure
 * @returns {Promise<Record<string, any[]>>} the results of each, one for each round
 */
export async function takeTurns(contenders, rounds, measure) {
	const results = {};
	for (let round = 0; round < rounds; round++) {
		for (const contender of contenders) (results[contender] ??= []).push(await measure(contender));
	}
	return results;
}

/** The median of one kind of figure. */
export const middle = (results, kind) => median(results.map((result) => result[kind]));

/** How many times as much a contender takes as another: the median of the ratios of neighbours in time. */
export const ratio = (results, others, kind) =>
	`${median(results.map((result, round) => result[kind] / others[round][kind])).toFixed(2)} ×`;

/** Runs a function and tells how long it took: on the clock, and in processor time of all threads; milliseconds. */
export async function timed(action) {
	const cpu = process.cpuUsage();
	const start = performance.now();
	await action();
	const wall = performance.now() - start;
	const { user, system } = process.cpuUsage(cpu);
	return { wall, cpu: (user + system) / 1000 };
}

/** Bytes that are in use after a garbage collection, and those that the process has. */
export function memoryInUse() {
	globalThis.gc();
	const { heapUsed, external, rss } = process.memoryUsage();
	return { used: heapUsed + external, resident: rss };
}

/** The most memory (resident set) that this process ever had, in bytes: maxRSS counts what its parent had when it forked. */
export const peakMemory = () => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;

const number = (value, maximumFractionDigits) => value.toLocaleString('en-US', { maximumFractionDigits });
const measured = (unit) => (value) => `${number(value, value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;

/** Milliseconds or microseconds, as they are read best. */
export const duration = (milliseconds) =>
	milliseconds < 1 ? measured('µs')(milliseconds * 1000) : measured('ms')(milliseconds);

export const megabytes = (bytes) => measured('MB')(bytes / 1e6);

export const kilobytes = (bytes) => measured('kB')(bytes / 1e3);

/** A number with thousands separated. */
export const count = (value) => number(value, 0);

/** The columns of a table of the times that contenders need for a stream, and a row of it. */
export const TIMES = ['Time', 'Processor', '÷ limit, time', '÷ limit, processor', 'MB/s', 'Chunks/s'];
export function timesOf(rounds, limit, { bytes, chunks }) {
	const [wall, cpu] = ['wall', 'cpu'].map((kind) => middle(rounds, kind));
	const ratios = ['wall', 'cpu'].map((kind) => ratio(rounds, limit, kind));
	return [duration(wall), duration(cpu), ...ratios, count(bytes / 1e3 / wall), count((chunks * 1e3) / wall)];
}
