/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { sleep } from 'n8n-workflow';

import { faults } from './faults';
import { observeRun } from './observe';

const used = () => {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};

/** How much memory, in MB, the faults that send without an end take at the most, server included. */
export async function peaksOfMemory(): Promise<Record<string, number>> {
	const peaks: Record<string, number> = {};
	for (const fault of faults.filter(({ isHeavy, run }) => isHeavy && run)) {
		global.gc!();
		const before = used();
		let peak = before;
		let isOver = false;
		const over = observeRun(fault).finally(() => (isOver = true));
		for (; !isOver; await sleep(2)) peak = Math.max(peak, used());
		await over;
		peaks[fault.name] = Math.round((peak - before) / 2 ** 20);
	}
	return peaks;
}
