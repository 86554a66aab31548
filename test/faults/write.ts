/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import { machine, writeSection } from '../support/report';
import { faultTables, observeAll } from './observe';

/** Writes the fault tables of docs/reliability.md: npm run faults. */
async function write() {
	const tables = faultTables(await observeAll());
	console.log(tables);
	writeSection('faults', tables);
	writeSection('faults-machine', `Measured: ${machine()}.\n`);
	process.exit();
}

void write();
