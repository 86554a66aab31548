// The rows that a real n8n plays in the tables of docs/reliability.md.
import assert from 'node:assert/strict';
import { tsImport } from 'tsx/esm/api';

const { readRow, tableRow, writeRow } = await tsImport('../support/report.ts', import.meta.url);

/** The settings of a node that is tried three times. */
export const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

/**
 * Asserts that the table has a row of what was seen. With `npm run test:e2e -- --write` it gets it.
 *
 * @param {string} name
 * @param {{ tries: number | string, starts: number, shown: string, threadId?: string }} seen `tries`: how often n8n executed the
 *   node, counted by starts that are refused, because those are sent again
 */
export function assertRow(name, { tries, starts, shown, threadId }) {
	assertCells('retries', [name, tries, starts, threadId ? shown.replaceAll(threadId, 'thread') : shown]);
}

/** Asserts that the table of a section has a row with these cells. With `npm run test:e2e -- --write` it gets it. */
export function assertCells(section, cells) {
	if (process.env.E2E_WRITE) writeRow(section, cells);
	assert.equal(tableRow(cells), readRow(section, cells[0]));
}
