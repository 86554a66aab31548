import { measureOnEngine } from '../lib/engine.mjs';
import { duration, median } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';

const STOPPING = new URL('./stopping.mjs', import.meta.url);
const EXECUTIONS = 30;
const TASKS = {
	'Before the service answers': 'mute',
	'While the stream is silent': 'silent',
	'While chunks come': '60000',
};

export const title = 'Stop';

export async function run() {
	const rows = [];
	for (const [label, task] of Object.entries(TASKS)) {
		const delays = await measureOnEngine(STOPPING, { task, executions: EXECUTIONS });
		rows.push([label, duration(median(delays)), duration(Math.max(...delays))]);
	}
	return [
		`From the moment an execution of Run Automation is cancelled, as by the Stop button or a workflow time-out, to the moment \
the service sees the connection close. ${EXECUTIONS} executions each.`,
		table(['Execution cancelled', 'Median', 'Longest'], rows),
	];
}
