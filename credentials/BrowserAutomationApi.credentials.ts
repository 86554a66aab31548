import type { ICredentialDataDecryptedObject, ICredentialType, Icon } from 'n8n-workflow';

import { apiKeyIn, type RequestWithUse } from '../nodes/shared/credential';
import { addBearer, CHECK_URLS, connectionFields, connectionTest } from './connection';

/** The service's API key and its two URLs. */
export class BrowserAutomationApi implements ICredentialType {
	name = 'browserAutomationApi';

	displayName = 'Browser Automation API';

	icon: Icon = {
		light: 'file:../icons/browser-automation.svg',
		dark: 'file:../icons/browser-automation.dark.svg',
	};

	documentationUrl = 'https://github.com/n8n-nodes-browser-automation/n8n-nodes-browser-automation#which-credential';

	properties: ICredentialType['properties'] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: "API key from your service's web console",
		},
		...connectionFields(
			'Used by Browser Automation for everything except starting runs. Not contacted by the connection test.',
			{ required: true, hint: 'Starts runs. n8n tests the key here.' },
			'the key',
		),
	];

	/**
	 * Adds the key to a request, unless the key must not be sent to its URL. n8n copies the type and loses methods of the class:
	 * only because this is a property, its HTTP Request node offers the credential.
	 */
	authenticate = async (credentials: ICredentialDataDecryptedObject, request: RequestWithUse) =>
		addBearer(credentials, request, apiKeyIn(credentials), 'the API key');

	/**
	 * Proves the Automation URL and the key, free of charge: the response to a start with a retired version and without a
	 * task is 400 with a valid key and 401 with an invalid key, and nothing is started.
	 */
	test = connectionTest(
		'automationUrl',
		{ url: '/api/anything/start', body: { version: 'v1' } },
		{
			401: "The service does not accept this 'API Key'. Check that it is complete and not revoked",
			403: "This 'API Key' is not allowed to start runs. Grant the permission in the service's web console",
			404: `This 'Automation URL' responds but cannot start runs. ${CHECK_URLS}`,
		},
		'error',
	);
}
