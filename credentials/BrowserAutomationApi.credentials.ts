// The credential with an API key, which works with both nodes.

import type { ICredentialDataDecryptedObject, ICredentialType, Icon } from 'n8n-workflow';

import { textField } from '../nodes/shared/form/fields';
import { apiKeyIn, START_PATH, type RequestWithUse } from '../nodes/shared/http/credential';
import { CHECK_URLS, connectionFields, connectionTest } from './connection';
import { addBearer } from './destination';

export class BrowserAutomationApi implements ICredentialType {
	name = 'browserAutomationApi';

	displayName = 'Browser Automation API';

	icon: Icon = {
		light: 'file:../icons/browser-automation.svg',
		dark: 'file:../icons/browser-automation.dark.svg',
	};

	documentationUrl = 'https://github.com/n8n-nodes-browser-automation/n8n-nodes-browser-automation#which-credential';

	properties: ICredentialType['properties'] = [
		textField('API Key', 'apiKey', {
			typeOptions: { password: true },
			required: true,
			hint: "API key from your service's web console",
		}),
		...connectionFields(
			'Used by Browser Automation for everything except starting runs. n8n does not check this URL.',
			{ required: true, hint: 'Starts runs. n8n tests the key here.' },
			'the key',
		),
	];

	/** n8n copies a credential type without its methods, so this is a property. */
	authenticate = async (credentials: ICredentialDataDecryptedObject, request: RequestWithUse) =>
		addBearer(credentials, request, apiKeyIn(credentials), 'the API key');

	/** A retired version starts no run: a valid key gets 400 (contract 7), any other 401. */
	test = connectionTest('automationUrl', {
		url: START_PATH,
		body: { version: 'v1' },
		proof: { status: 400, field: 'error' },
		rejected: "The service does not accept this 'API Key'. Check that it is complete and not revoked",
		forbidden:
			"This 'API Key' may not start runs, or a firewall rejects n8n. Check the permissions of the key, and the URL",
		missing: `This 'Automation URL' responds but cannot start runs. ${CHECK_URLS}`,
	});
}
