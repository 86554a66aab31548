import type { INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode } from '../engine/run-node';
import { answering } from '../support/answering';
import { usePauses } from '../support/clock';

// How often what costs money is sent, with Retry On Fail at three tries, for the statuses of each class.

usePauses();

const threadId = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
// n8n takes 0 milliseconds as its default, 1000.
const RETRIED = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const BODIES = ['{"message":"Out of order"}', ''];
const query = 'Do it';

describe.each<[string, string, INodeParameters]>([
	['a start', RUN_AUTOMATION, { query }],
	['a start in the background', RUN_AUTOMATION, { operation: 'background', query }],
	['a further run in a thread', RUN_AUTOMATION, { query, threadId }],
	['Start', BROWSER_AUTOMATION, { resource: 'automationRun', operation: 'start', query }],
	['Connect Wallet', BROWSER_AUTOMATION, { resource: 'payment', operation: 'connectWallet', mode: 'live' }],
])('%s', (_name, type, form) => {
	const isWallet = form.resource === 'payment';
	const NO_RUN = isWallet ? /^(?!.*may have)/ : /^No run was started\. /;
	const MAYBE = isWallet
		? /^The request may have had an effect\. /
		: /^The run may have started: .* A new run is billed, too(\. Thread ID: \S+)?$/;
	// A request that had no effect is sent in each of the three tries; to a busy service, in each until 120 seconds have passed.
	const REJECTED = [3, NO_RUN] as const;
	const inUse = form.threadId === undefined ? ([1, MAYBE] as const) : REJECTED;
	const effects = [
		...[400, 401, 405, 413, 422].map((code) => [code, ...REJECTED] as const),
		[409, ...REJECTED] as const,
		...[423, 425].map((code) => [code, ...inUse] as const),
		...[429, 529].map((code) => [code, 18, NO_RUN] as const),
		...[408, 431, 500, 502, 503, 504, 530].map((code) => [code, 1, MAYBE] as const),
	];
	it.each(effects)('is sent after %d as often as that is safe: %d', async (code, times, advice) => {
		const seen: unknown[] = [];
		for (const body of BODIES) {
			const service = await answering([code, body]);
			const { error } = await runNode(type, service, form, { node: RETRIED, mode: 'trigger' });
			seen.push([body, service.requests.length, error?.description]);
		}
		expect(seen).toEqual(BODIES.map((body) => [body, times, expect.stringMatching(advice)]));
	});
});
