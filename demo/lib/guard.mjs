// Started by processes.mjs. Reads the process groups that its parent has started (+1234) and that have ended (-1234). Once the parent
// is gone, however it ended, this stops what is left of them.
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 10_000;
const groups = new Set();

for await (const line of createInterface({ input: process.stdin })) {
	const group = Number(line.slice(1));
	if (line.startsWith('+')) groups.add(group);
	else groups.delete(group);
}

const isThere = (group) => signal(group, 0);
for (const group of groups) signal(group, 'SIGTERM');
for (const deadline = Date.now() + PATIENCE_MS; [...groups].some(isThere) && Date.now() < deadline; ) await sleep(100);
for (const group of groups) signal(group, 'SIGKILL');

/** Sends a signal to a group; returns whether there is one. */
function signal(group, name) {
	try {
		return process.kill(-group, name);
	} catch {
		return false;
	}
}
