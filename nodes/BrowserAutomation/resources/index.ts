import type { Resource } from '../routing/operation';
import { start } from './automationRun/start';
import { deleteMailbox, deleteSecret } from './delete';
import { createConnectLink } from './mailbox/createConnectLink';
import { connectWallet } from './payment/connectWallet';
import { setCookies } from './profile/setCookies';
import { getSecret } from './secret/get';
import { sessionIdField } from './session/files';
import { getReplay } from './session/getReplay';
import { getScript } from './session/getScript';
import { search } from './web/search';

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
	{ name: 'Session', value: 'session', operations: [getReplay, getScript], fields: [sessionIdField] },
	{ name: 'Web', value: 'web', operations: [search] },
];
