import type { NodeHint } from 'n8n-workflow';

const when = (resource: string, operation: string, further = '') =>
	`={{ $parameter["resource"] === "${resource}" && $parameter["operation"] === "${operation}"${further} }}`;

/** What a person has to know or do beside the workflow. They are static, and quote nothing of an answer. */
export const hints: NodeHint[] = [
	{
		message: 'A person opens <code>connect_link_url</code> and signs in to the mailbox before <code>expires_at</code>.',
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: when('mailbox', 'createConnectLink'),
	},
	{
		message:
			'A person opens <code>connection_url</code>, and goes on only if the page shows the same phrase as <code>connection_phrase</code>.',
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: when('payment', 'connectWallet'),
	},
	{
		message: 'Test mode: this connection is for trying out and moves no real money.',
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: when('payment', 'connectWallet', ' && $parameter["mode"] === "test"'),
	},
	{
		message:
			'Not every version of n8n hides this value: whoever may open this execution may read it. <code>{{ $json.value }}</code> works in the nodes that follow either way.',
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: when('secret', 'get'),
	},
	{
		message:
			'The links expire at <code>expires_at</code>. Turn on Download Video to keep the recording, or run this again for new links.',
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: when('session', 'getReplay', ' && !$parameter["downloadVideo"]'),
	},
];
