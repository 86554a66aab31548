/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import { machine, writeSection } from '../support/report';
import { faultTables, observeAll } from './observe';
import { observeRetries, retryTable } from './retries';

/** Writes the tables of docs/reliability.md about faults and retries: npm run faults. With `retries`, only the latter. */
async function write() {
	const retries = retryTable(await observeRetries());
	console.log(retries);
	writeSection('retries', retries);
	if (process.argv.includes('retries')) process.exit();
	const tables = faultTables(await observeAll());
	console.log(tables);
	writeSection('faults', tables);
	writeSection('faults-machine', `Measured: ${machine()}.\n`);
	process.exit();
}

void write();
