import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { isKnownCause, noResponseReason } from '../nodes/errors/no-response';
import { CredentialError } from '../nodes/token/credential-error';
import { askForPreAuthentication, type RequestWithUse } from '../nodes/token/credential-use';
import { addressIn, apiKeyIn } from '../nodes/token/credential-values';
import {
	addBearer,
	allowUnencryptedField,
	automationUrlField,
	baseUrlField,
	testOptions,
	testRules,
} from './service-address';

const START_PATH = '/api/anything/start';

const PROBE_TIMEOUT_MS = 20_000;

/**
 * Sends a request without the key.
 *
 * @throws CredentialError if there is no response; every response, and every other problem, is left to the test itself
 */
async function probe({ helpers }: IHttpRequestHelper, baseURL: string): Promise<void> {
	await helpers
		.httpRequest({
			method: 'GET',
			baseURL,
			url: START_PATH,
			timeout: PROBE_TIMEOUT_MS,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		})
		.catch(({ code }: { code?: unknown }) => {
			if (!isKnownCause(code)) return;
			const advice = 'Check the Automation URL, and that n8n can reach it';
			throw new CredentialError(noResponseReason({ code }), advice);
		});
}

/** The API key of the service and its two addresses. */
export class BrowserAutomationApi implements ICredentialType {
	name = 'browserAutomationApi';

	displayName = 'Browser Automation API';

	icon: Icon = {
		light: 'file:../icons/browser-automation.svg',
		dark: 'file:../icons/browser-automation.dark.svg',
	};

	documentationUrl = 'https://github.com/n8n-nodes-browser-automation/n8n-nodes-browser-automation#which-credential';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: 'API key from the web console of your service',
		},
		baseUrlField('Used by Browser Automation for everything except starting runs. Not checked by the connection test.'),
		automationUrlField({
			required: true,
			hint: 'Used to start runs. The connection test checks this address and the key.',
		}),
		allowUnencryptedField('the key'),
		{
			displayName: 'Probe',
			name: 'probe',
			type: 'hidden',
			// n8n calls preAuthentication only for a credential with such a field; while the field is not empty, only after a
			// 401. The value that is stored never changes.
			typeOptions: { expirable: true },
			default: 'none',
		},
	];

	/**
	 * If a connection test has asked for it, checks whether there is a response at the Automation URL at all. Without this, n8n
	 * shows the bare code of an error such as ECONNREFUSED.
	 */
	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject): Promise<IDataObject> {
		if (credentials.probe !== 'wanted') return {};
		await probe(this, addressIn(credentials, 'automationUrl'));
		credentials.probe = 'done';
		return {};
	}

	/** Adds the key to a request, unless its address would carry the key unencrypted or is not an address. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: RequestWithUse,
	): Promise<IHttpRequestOptions> {
		const authenticated = addBearer(credentials, request, apiKeyIn(credentials), 'the API key');
		if (request.credentialUse?.isTest && credentials.probe !== 'done') {
			credentials.probe = 'wanted';
			throw askForPreAuthentication('The Automation URL has to be probed');
		}
		return authenticated;
	}

	/**
	 * Proves the Automation URL and the key, free of charge: the response to a start with a retired version and without a
	 * task is 400 with a good key and 401 with a bad one, and nothing is started.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.automationUrl}}',
			url: START_PATH,
			method: 'POST',
			body: { version: 'v1' },
			...testOptions('automationUrl'),
		},
		rules: testRules(
			{
				401: 'The service does not accept this API Key. Check that it is complete and not revoked',
				403: 'This API Key is not allowed to start runs. Grant the permission in the web console of the service',
				404: 'Nothing responds at this Automation URL. Check the address',
			},
			// The response to a retired version always has the field `error`; a web page or another service does not.
			'error',
			'Unexpected response. Check that the Automation URL points to the automation builder of the service',
		),
	};
}
