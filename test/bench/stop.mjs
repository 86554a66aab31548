import { setTimeout as sleep } from 'node:timers/promises';
import { onEngine } from './lib/engine.mjs';
import { duration, median } from './lib/figures.mjs';
import { measureOnEngine } from './lib/measure.mjs';
import { clock } from './lib/service.mjs';

const EXECUTIONS = 30;
const TASKS = {
	'Before the service responds': 'mute',
	'While the stream is silent': 'silent',
	'While chunks are received': 'run 60000 100',
};

/** Milliseconds from the beginning of a run to the stop, so that what it has sent is received. */
const MOMENT = 150;

/** Stops executions one after the other, and gives the milliseconds until the service saw each connection close. */
export const measurement = async (task) =>
	await onEngine(async ({ runTask, server }) => {
		const delays = [];
		for (let i = 0; i < EXECUTIONS; i++) {
			let stopped;
			const cancelWhen = server.next('begun').then(async () => {
				await sleep(MOMENT);
				stopped = clock();
			});
			const closed = server.next('closed');
			await runTask(task, {}, { cancelWhen }).catch(() => {});
			delays.push((await closed) - stopped);
		}
		return delays;
	});

export const title = 'Stop';

export async function run() {
	const rows = [];
	for (const [label, task] of Object.entries(TASKS)) {
		const delays = await measureOnEngine(import.meta.url, task);
		rows.push([label, duration(median(delays)), duration(Math.max(...delays))]);
	}
	return [
		`Time from cancelling an execution of Run Automation, with the Stop button or a workflow timeout, until \
the service sees the connection close. ${EXECUTIONS} executions each.`,
		[['Execution cancelled', 'Median', 'Longest'], ...rows],
	];
}
