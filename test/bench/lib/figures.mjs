import { readFileSync } from 'node:fs';

/** The value below which the given share of the values lies. */
export function percentile(values, share) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

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
	times(median(results.map((result, round) => result[kind] / others[round][kind])));

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

/** The most memory (resident set) that this process ever had, in bytes. */
export function peakMemory() {
	try {
		// maxRSS of the process counts what its parent had when it forked; this one does not.
		return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
	} catch {
		return process.resourceUsage().maxRSS * 1024;
	}
}

const number = (value, digits) => value.toLocaleString('en-US', { maximumFractionDigits: digits });
const digitsFor = (value) => (value < 10 ? 2 : value < 100 ? 1 : 0);

/** Milliseconds or microseconds, as they are read best. */
export const duration = (milliseconds) =>
	milliseconds < 1
		? `${number(milliseconds * 1000, digitsFor(milliseconds * 1000))} µs`
		: `${number(milliseconds, digitsFor(milliseconds))} ms`;

export const megabytes = (bytes) => `${number(bytes / 1e6, digitsFor(bytes / 1e6))} MB`;

export const kilobytes = (bytes) => `${number(bytes / 1e3, digitsFor(bytes / 1e3))} kB`;

/** A number with thousands separated. */
export const count = (value) => number(value, 0);

/** How many times as much. */
export const times = (value) => `${value.toFixed(2)} ×`;
