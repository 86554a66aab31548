import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, runAutomation, runNode } from '../engine/run-node';
import { useService } from '../support/use-service';

const service = useService();

/** Every way to put `value` into one text of the form, by the name of its field. */
function withOneChanged(form: INodeParameters, value: string): Array<[string, INodeParameters]> {
	return Object.entries(form).flatMap(([name, given]) => {
		if (name === 'options') {
			const changed = withOneChanged(given as INodeParameters, value);
			return changed.map(([option, options]): [string, INodeParameters] => [option, { ...form, options }]);
		}
		return typeof given === 'string' && !TAKES_ANYTHING.includes(name) ? [[name, { ...form, [name]: value }]] : [];
	});
}

/** Fields that take JSON, and choices of the form that are not sent. */
const TAKES_ANYTHING = ['additionalBodyFields', 'cookiesJson', 'cookiesFrom'];
const input = [{ json: { task: 'Do it' } }];

describe.each(operations)('$resource $operation', ({ resource, operation, full }) => {
	it.each(withOneChanged(full, '={{ $json }}'))(
		'refuses an object as %s before anything is sent',
		async (_name, form) => {
			const { error } = await runNode(BROWSER_AUTOMATION, service, { resource, operation, ...form }, { input });
			expect(error?.message).toMatch(/^[A-Z].* must be text$/);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('Run Automation', () => {
	const full = {
		query: 'quick',
		threadId: '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
		options: { model: 'm', reasoningEffort: 'high', version: 'v2' },
	};

	it.each(withOneChanged(full, '={{ $json }}'))(
		'refuses an object as %s before anything is sent',
		async (_name, form) => {
			const { error } = await runAutomation(service, form, { input: [{ task: 'Do it' }] });
			expect(error?.message).toMatch(/^[A-Z].* must be text$/);
			expect(service.requests).toEqual([]);
		},
	);

	it.each([true, '={{ [5] }}', '', '={{ null }}'])('takes %j for no number of seconds', async (totalTimeout) => {
		const { error } = await runAutomation(service, { query: 'quick', options: { totalTimeout } });
		expect(error?.message).toBe('Limit: Total Timeout (Seconds) must be a number of at least 0');
		expect(service.requests).toEqual([]);
	});

	it('refuses more items than the limit, with both numbers, before anything is sent', async () => {
		const options = { maxRuns: 2 };
		const { error } = await runAutomation(service, { query: 'quick', options }, { input: [{}, {}, {}] });
		expect(error?.message).toBe('3 input items exceed the limit of 2');
		expect(error?.description).toMatch(/^No run was started/);
		expect(service.requests).toEqual([]);
	});

	it.each([2, '', '={{ null }}'])('starts two runs if the limit is %j', async (maxRuns) => {
		const options = { maxRuns };
		const { items } = await runAutomation(service, { query: 'quick', options }, { input: [{}, {}] });
		expect(items).toHaveLength(2);
	});

	it('says that nothing was sent, and nothing of a run, if the key is empty', async () => {
		const { error } = await runAutomation(
			{ ...service, baseUrl: service.baseUrl, automationUrl: service.automationUrl, apiKey: ' ' },
			{ query: 'quick' },
		);
		expect(error?.message).toBe('API Key is empty');
		expect(error?.description).not.toMatch(/web console|started/);
		expect(error?.context.data).toBeUndefined();
		expect(service.requests).toEqual([]);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'returns an error for every item if Runs in Parallel is not a number and On Error is %s',
		async (onError) => {
			const { items, errorItems } = await runAutomation(
				service,
				{ query: 'quick', options: { parallelRuns: 'many' } },
				{ input: [{}, {}], settings: { onError } },
			);
			const found = onError === 'continueErrorOutput' ? errorItems : items;
			expect(found.map(({ json }) => JSON.stringify(json.error))).toEqual(
				Array.from(
					{ length: 2 },
					() => expect.stringContaining('Limit: Runs in Parallel must be a number of at least 1') as string,
				),
			);
			expect(items.length + errorItems.length).toBe(2);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('Browser Automation', () => {
	it('trims an ID', async () => {
		await runNode(BROWSER_AUTOMATION, service, { resource: 'mailbox', operation: 'delete', mailboxId: ' id_1 \n' });
		expect(service.requests.map(({ path }) => path)).toEqual(['/rest/mailboxes/id_1']);
	});

	it.each(['requestOrigin', 'sdkVersion'])('refuses a header value that cannot be sent as %s', async (option) => {
		const { error } = await runNode(BROWSER_AUTOMATION, service, {
			resource: 'payment',
			operation: 'connectWallet',
			options: { [option]: 'né→' },
		});
		expect(error?.message).toMatch(/^(Request Origin|SDK Version) contains characters that cannot be sent$/);
		expect(service.requests).toEqual([]);
	});

	it.each(['', '={{ null }}'])('does not send a switch that is %j', async (asWorkflow) => {
		const form = { resource: 'session', operation: 'getScript', sessionId: 'session-1', asWorkflow };
		await runNode(BROWSER_AUTOMATION, service, form);
		expect(service.requests[0].query).toEqual({});
	});
});

describe('an AI agent', () => {
	const asTool = { node: { type: `${BROWSER_AUTOMATION}Tool` } };

	it('is told a reason once if a start is refused', async () => {
		const form = { resource: 'automationRun', operation: 'start', query: 'message' };
		const { error } = await runNode(BROWSER_AUTOMATION, service, form, asTool);
		expect(error?.message).toMatch(/^The task was refused/);
		expect(error?.message.match(/Thread ID|The task was refused/g)).toEqual(['The task was refused']);
	});

	it('is not told to wait for a recording after it has waited', async () => {
		const wait = { waitForRecording: true, maximumWait: 0.2 };
		const form = { resource: 'session', operation: 'getReplay', sessionId: 'processing-9', ...wait };
		const { error } = await runNode(BROWSER_AUTOMATION, service, form, asTool);
		expect(error?.message).toMatch(/^The replay is not ready yet\. Waited 0\.2 seconds\. Check/);
		expect(error?.message).not.toContain('Wait for Recording');
	});
});
