// How long a connection stays open when its execution is cancelled.
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from '../lib/child.mjs';
import { loadEngine, RUN_AUTOMATION } from '../lib/engine.mjs';
import { clock, startService } from '../lib/service.mjs';

/** Milliseconds from the beginning of a run to the stop, so that what it has sent has arrived. */
const MOMENT = 150;

/** Stops so many executions one after the other, and gives the milliseconds until the service saw the connection close. */
async function measureStops({ task, executions }) {
	const server = await startService();
	const { runNode, stop: stopEngine } = await loadEngine();
	const node = { type: RUN_AUTOMATION, parameters: { operation: 'result', query: task, options: {} } };
	const delays = [];
	for (let i = 0; i < executions; i++) {
		let stopped;
		const cancelWhen = server.next('begun').then(async () => {
			await sleep(MOMENT);
			stopped = clock();
		});
		const closed = server.next('closed');
		await runNode(node, server.target, [{}], { cancelWhen }).catch(() => {});
		delays.push((await closed) - stopped);
	}
	server.stop();
	await stopEngine();
	return delays;
}

answer(measureStops);
