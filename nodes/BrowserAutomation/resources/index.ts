import type { INodeProperties } from 'n8n-workflow';

import { start } from './automationRun/start';
import { deleteMailbox, deleteSecret } from './delete';
import { createConnectLink } from './mailbox/createConnectLink';
import { formOf, inPath, type Resource } from './operation';
import { connectWallet } from './payment/connectWallet';
import { setCookies } from './profile/setCookies';
import { getSecret } from './secret/get';
import { getReplay } from './session/getReplay';
import { getScript } from './session/getScript';
import { search } from './web/search';

const sessionIdField = inPath('session_id', {
	displayName: 'Session ID',
	name: 'sessionId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. session_123',
	description: 'ID of the cloud browser session. A run reports only its thread.',
	hint: 'Copy it from the list of sessions in the web console of the service',
});

export const resources: Resource[] = [
	{
		name: 'Automation Run',
		value: 'automationRun',
		operations: [start],
		// Here and not at the operation, where older versions of n8n do not know the credential.
		routing: { request: { baseURL: '={{ $credentials.automationUrl }}' } },
	},
	{ name: 'Mailbox', value: 'mailbox', operations: [createConnectLink, deleteMailbox] },
	{ name: 'Payment', value: 'payment', operations: [connectWallet] },
	{ name: 'Profile', value: 'profile', operations: [setCookies] },
	{ name: 'Secret', value: 'secret', operations: [deleteSecret, getSecret], default: getSecret.value },
	{
		name: 'Session',
		value: 'session',
		operations: [getReplay, getScript],
		fields: [sessionIdField],
		notFound:
			"Check that this is a Session ID from the web console, not a thread ID. If it is, check 'Base URL' in the credential",
	},
	{ name: 'Web', value: 'web', operations: [search] },
];

export const API_KEY = 'browserAutomationApi';
export const USER_LOGIN = 'browserAutomationOAuth2PasswordApi';

export const authenticationField: INodeProperties = {
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
};

export const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	// Lets every request go through `pagination`, even with a value that the list does not offer.
	routing: { send: { paginate: true } },
	options: resources.map(({ name, value }) => ({ name, value })),
	default: 'web',
};

export const fields: INodeProperties[] = [
	authenticationField,
	{
		// Runs need an API key, and n8n looks for the parameter of all operations. The condition is under `hide`, because
		// the editor does not show a field that is named under `show` here. It has no options, which the form of a new
		// credential would list a second time.
		displayName: 'Authentication',
		name: 'authentication',
		type: 'hidden',
		displayOptions: { hide: { resource: [{ _cnd: { not: 'automationRun' } }] } },
		default: 'apiKey',
	},
	resourceField,
	...resources.flatMap(formOf),
];
