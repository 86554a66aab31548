import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { builderHint } from './builder-hint';
import { hints } from './hints';
import { automationRun } from './resources/automationRun';
import { mailbox } from './resources/mailbox';
import { payment } from './resources/payment';
import { profile } from './resources/profile';
import { secret } from './resources/secret';
import { session } from './resources/session';
import { web } from './resources/web';
import { API_KEY, USER_LOGIN } from './routing/credential';
import { sendRequest } from './routing/send-request';

export class BrowserAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Browser Automation',
		name: 'browserAutomation',
		icon: { light: 'file:../../icons/browser-automation.svg', dark: 'file:../../icons/browser-automation.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ [$parameter["operation"], $parameter["resource"]].map((name) => name[0].toUpperCase() + name.slice(1).replace(/[A-Z]/g, " $&")).join(": ") }}',
		description:
			'Search the web, and manage profiles, cookies, recordings, secrets, mailboxes and payments. To give a web agent a task, use Run Automation.',
		defaults: { name: 'Browser Automation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: API_KEY, required: true, displayOptions: { show: { authentication: ['apiKey'] } } },
			{ name: USER_LOGIN, required: true, displayOptions: { show: { authentication: ['oAuth2Password'] } } },
		],
		hints,
		builderHint,
		// The output of Secret: Get. n8n never shows it in the editor.
		sensitiveOutputFields: ['value'],
		requestDefaults: {
			baseURL: '={{ $credentials.baseUrl }}',
			headers: { Accept: 'application/json' },
			// Every status comes back as a response and is read by the first function of each operation. n8n would send a
			// request again after a 401, and would put the whole body of the response into its error.
			ignoreHttpStatusErrors: true,
			// n8n would send the key along to wherever a redirect leads.
			disableFollowRedirect: true,
		},
		requestOperations: { pagination: sendRequest },
		properties: [
			{
				displayName: 'Authentication',
				name: 'authentication',
				type: 'options',
				noDataExpression: true,
				displayOptions: { hide: { resource: ['automationRun'] } },
				options: [
					{ name: 'API Key', value: 'apiKey' },
					{ name: 'User Name and Password', value: 'oAuth2Password' },
				],
				default: 'apiKey',
			},
			{
				// Runs need an API key, but n8n looks for the parameter all the same. The condition is under `hide`, because the editor does not show a field that is named under `show` here. Without options, which
				// the form of a new credential would list a second time.
				displayName: 'Authentication',
				name: 'authentication',
				type: 'hidden',
				displayOptions: { hide: { resource: [{ _cnd: { not: 'automationRun' } }] } },
				default: 'apiKey',
			},
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				// Lets every request go through sendRequest.
				routing: { send: { paginate: true } },
				options: [
					{ name: 'Automation Run', value: 'automationRun' },
					{ name: 'Mailbox', value: 'mailbox' },
					{ name: 'Payment', value: 'payment' },
					{ name: 'Profile', value: 'profile' },
					{ name: 'Secret', value: 'secret' },
					{ name: 'Session', value: 'session' },
					{ name: 'Web', value: 'web' },
				],
				default: 'web',
			},
			...automationRun,
			...mailbox,
			...payment,
			...profile,
			...secret,
			...session,
			...web,
		],
	};
}
