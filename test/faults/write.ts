/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import { machine, writeSection } from '../support/report';
import { faultTables, observeAll } from './observe';
import { retryTable } from './retries';

/** Writes the tables of docs/reliability.md about faults and retries: npm run faults. */
async function write() {
	writeSection('retries', await retryTable());
	writeSection('faults', faultTables(await observeAll()));
	writeSection('faults-machine', `Measured: ${machine()}.\n`);
	console.log('The tables are in docs/reliability.md.');
	process.exit();
}

void write();
