/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { setTimeout as sleep } from 'node:timers/promises';

const TURNS = 10;

/**
 * Lets a client in this process read what was sent. It needs turns of the event loop: one long pause can pass while the whole
 * process stands still.
 */
export async function letRead(): Promise<void> {
	for (let turn = 0; turn < TURNS; turn++) await sleep(2);
}
