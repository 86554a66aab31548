/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import { machine, writeSection } from '../support/report';
import { faultTables, observeAll } from './observe';
import { executionTable, retryTable } from './retries';

/** Writes the tables of docs/reliability.md about faults and retries: npm run faults. */
async function write() {
	const [retries, executions] = [await retryTable(), await executionTable()];
	const sections = { retries, executions, faults: await faultTables(observeAll()) };
	for (const [section, text] of Object.entries(sections)) {
		const missing = text.match(/^.*\| Not (observed|played): .*$/gm);
		if (missing) throw new Error(missing.join('\n'));
		writeSection(section, text);
	}
	writeSection('faults-machine', `Measured: ${machine()}.\n`);
	console.log('The tables are in docs/reliability.md.');
	process.exit();
}

void write();
