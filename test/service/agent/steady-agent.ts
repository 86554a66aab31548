/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Scenario } from '../scenarios';
import type { ServiceState } from '../state';
import { events, textRun } from '../streams';
import { replyForm } from './asked';

/** What an agent has done in a thread. */
export interface Work {
	isGoingOn: boolean;
	/** How often each step was done. */
	steps: number[];
	/** Other runs that were rejected meanwhile. */
	rejected: number;
}

const TASK = /^steady (\d+(?:\.\d+)?)(?: until (\d+) are rejected)?\b/;
const LOST = /^The connection was lost, and your reply was not received completely\./;
const STEPS = 10;

/** Whether a task is for the agent that goes on while nobody listens, or continues one that is. */
export const isForSteadyAgent = (threadId: string, query: string, { works }: ServiceState) =>
	TASK.test(query) || works.has(threadId);

/** How many steps were done twice. */
export const doneTwice = ({ works }: ServiceState) =>
	[...works.values()].flatMap(({ steps }) => steps).filter((times) => times > 1).length;

/** Takes so long for all steps, whoever listens. What the thread knows of them, it does not do again unless it has to begin again. */
async function doSteps(work: Work, seconds: number, rejections: number, fromFirst: boolean): Promise<void> {
	work.isGoingOn = true;
	for (let step = fromFirst ? 0 : work.steps.length; step < STEPS; step++) {
		await sleep((seconds * 1000) / STEPS);
		work.steps[step] = (work.steps[step] ?? 0) + 1;
	}
	// Not by the clock: a machine may be slow.
	while (work.rejected < rejections) await sleep(10, undefined, { ref: false });
	work.isGoingOn = false;
}

function replyOf(query: string): string {
	const { columns } = replyForm(query);
	const row = Object.fromEntries(columns.map(({ name, type }) => [name, type === 'number' ? STEPS : 'Done']));
	return columns.length ? `\`\`\`json\n${JSON.stringify({ rows: [row] })}\n\`\`\`` : `All ${STEPS} steps are done.`;
}

/**
 * The agent for `steady 20 Order it`, ten steps in 20 seconds, or `steady 2 until 3 are rejected`. It knows what was done in its thread,
 * rejects another run meanwhile, and counts what is done twice. After a lost connection it does only what is missing, in a tenth of the time.
 */
export const steadyAgent: Scenario = {
	description: 'ten steps that take so many seconds, also if nobody listens',
	play: async ({ threadId, queries, state }, wire) => {
		const known = state.works.get(threadId);
		if (known?.isGoingOn) {
			known.rejected++;
			return wire.json(409, { detail: 'This thread is still at work' });
		}
		const work: Work = known ?? { isGoingOn: false, steps: [], rejected: 0 };
		state.works.set(threadId, work);
		const query = queries.at(-1)!;
		const [, seconds, rejections] = TASK.exec(queries[0]) ?? [];
		const isLost = LOST.test(query);
		const working = doSteps(work, Number(seconds ?? 0), Number(rejections ?? 0), !isLost);
		wire.open();
		if (isLost) await wire.sleep((Number(seconds) * 1000) / STEPS);
		await Promise.race([working, wire.silence()]);
		for await (const event of events(textRun(replyOf(query)))) await wire.send(event);
		wire.end();
	},
};
