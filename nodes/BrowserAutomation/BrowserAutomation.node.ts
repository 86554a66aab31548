// Describes the node Browser Automation.

import { NodeConnectionTypes, type IExecuteFunctions, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { API_KEY, USER_LOGIN } from '../shared/http/credential';
import { browserAutomationFields } from './resources';

/** n8n's AI workflow builder reads it. */
const builderHint: INodeTypeDescription['builderHint'] = {
	searchHint:
		'Single requests to a web automation service: search the web, set up what web agents use (cookies of a profile, mailboxes, a wallet, secrets), and get the recording or script of a browser session. To give a web agent a task and use its result, use the node Run Automation instead. Automation Run: Start is billed, takes minutes, and returns thread_id, url and status, but no result: do not execute it to learn its output.',
	// n8n would give this operation the description of a mailbox's `delete`.
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

const isChosen = (resource: string, operation: string) =>
	`$parameter["resource"] === "${resource}" && $parameter["operation"] === "${operation}"`;

/** The storage state may be JSON inside a JSON text. */
const HAS_LOCAL_STORAGE = String.raw`/localStorage\W+\[[\s\\nrt]*\{/.test(JSON.stringify($parameter["cookiesJson"] ?? ""))`;

/** n8n shows these above an error, too, so they concern settings only. */
const hints: INodeTypeDescription['hints'] = [
	{
		message: 'Test mode is on. No real money is used.',
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ ${isChosen('payment', 'connectWallet')} && $parameter["mode"] === "test" }}`,
	},
	{
		message: 'The service does not accept localStorage. Only the cookies of a storage state can be set.',
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ ${isChosen('profile', 'setCookies')} && $parameter["cookiesFrom"] === "json" && ${HAS_LOCAL_STORAGE} }}`,
	},
];

export class BrowserAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Browser Automation',
		name: 'browserAutomation',
		icon: { light: 'file:../../icons/browser-automation.svg', dark: 'file:../../icons/browser-automation.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ [$parameter["operation"], $parameter["resource"]].filter(Boolean).map((name) => name.replace(/_+|(?=[A-Z][a-z])/g, " ").trim()).map((name) => name[0].toUpperCase() + name.slice(1)).join(": ") }}',
		description:
			'Search the web, and manage profiles, cookies, recordings, secrets, mailboxes and payments. To give a web agent a task, use Run Automation.',
		defaults: { name: 'Browser Automation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		// A check of n8n reads no variables under `show`, so `apiKey` and `oAuth2Password` are literals.
		credentials: [
			{ name: API_KEY, required: true, displayOptions: { show: { authentication: ['apiKey'] } } },
			{ name: USER_LOGIN, required: true, displayOptions: { show: { authentication: ['oAuth2Password'] } } },
		],
		hints,
		builderHint,
		// *Secret: Get* returns it, and n8n 2.41.3 shows it nevertheless.
		sensitiveOutputFields: ['value'],
		properties: browserAutomationFields,
	};

	async execute(this: IExecuteFunctions) {
		// n8n loads every node at its start, so this loads on execution.
		const { executeAllItems } = await import('./execute/batch.ts');
		return [await executeAllItems(this)];
	}
}
