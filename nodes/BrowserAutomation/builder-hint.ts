import type { INodeTypeDescription } from 'n8n-workflow';

/** What n8n's AI workflow builder reads about the node. Older versions of n8n ignore it. */
export const builderHint: INodeTypeDescription['builderHint'] = {
	searchHint:
		'Single requests to a web automation service: search the web, set up what web agents use (cookies of a profile, mailboxes, a wallet, secrets), and get the recording or script of a browser session that has ended. To give a web agent a task and use its result in the next nodes, use the node Run Automation instead. Automation Run: Start only starts a run: it is billed, takes minutes, and returns thread_id, url and status, but no result.',
	// n8n describes an operation by the first one of the same value, here that of mailboxes.
	extraTypeDefContent: [
		{
			displayOptions: { show: { resource: ['secret'], operation: ['delete'] } },
			content: 'Deletes a secret by its ID, which is not its name. This cannot be undone.',
		},
	],
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-browser-automation.runAutomation',
			relationHint: 'Starts a web agent on a task, waits for the run, and returns its result or its rows',
		},
	],
};
