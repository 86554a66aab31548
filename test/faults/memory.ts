/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import { sleep } from 'n8n-workflow';

import { faults } from './faults';
import { observeRun } from './observe';

const used = () => {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};

/** Prints how much memory, in MB, the faults that send without an end take at the most, server included. */
async function measure() {
	const peaks: Record<string, number> = {};
	for (const fault of faults.filter(({ isHeavy, run }) => isHeavy && run)) {
		global.gc!();
		const before = used();
		let peak = before;
		let isOver = false;
		const watch = async () => {
			while (!isOver) {
				peak = Math.max(peak, used());
				await sleep(2);
			}
		};
		const watched = watch();
		await observeRun(fault);
		isOver = true;
		await watched;
		peaks[fault.name] = Math.round((peak - before) / 2 ** 20);
	}
	console.log(`PEAKS ${JSON.stringify(peaks)}`);
	process.exit();
}

void measure();
