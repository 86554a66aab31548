import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { apiKeyIn } from '../nodes/token/credential-values';
import { addBearer, allowUnencryptedField, automationUrlField, baseUrlField, testOptions } from './service-address';

/** The bearer key of the service and its two base URLs (contract, sections 0 and 5). */
export class BrowserAutomationApi implements ICredentialType {
	name = 'browserAutomationApi';

	displayName = 'Browser Automation API';

	icon: Icon = {
		light: 'file:../icons/browser-automation.svg',
		dark: 'file:../icons/browser-automation.dark.svg',
	};

	documentationUrl = 'https://github.com/n8n-nodes-browser-automation/n8n-nodes-browser-automation#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The bearer key that you created in the web console of the service',
		},
		baseUrlField(
			'Address of the main REST interface. It is first proven by use: the connection test below reaches the Automation URL only.',
		),
		automationUrlField({
			required: true,
			description: 'Address of the automation builder, without /api/anything/start',
		}),
		allowUnencryptedField('the key'),
	];

	/** Adds the key to a request, unless its address would carry the key unencrypted or is no address at all. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return addBearer(credentials, request, apiKeyIn(credentials), 'the API key');
	}

	/**
	 * Proves the Automation URL and the key, free of charge: a start with a retired version and without a task answers
	 * 400 to a good key and 401 to a bad one, and starts nothing (contract, section 7).
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.automationUrl}}',
			url: '/api/anything/start',
			method: 'POST',
			body: { version: 'v1' },
			...testOptions,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message: 'The service does not accept this API Key. Check that it is complete and not revoked',
				},
			},
			{
				type: 'responseCode',
				properties: { value: 403, message: 'The service knows this API Key but does not let it start runs' },
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message: 'Nothing answers at this Automation URL. Enter it without /api/anything/start',
				},
			},
			{
				// The answer to a retired version always has the field `error`. A web page or another service has not.
				type: 'responseSuccessBody',
				properties: {
					key: 'error',
					value: undefined,
					message: 'Something answers at this Automation URL, but it is not the automation builder. Check the address',
				},
			},
			// The type knows lists of one kind of rule only; n8n reads each rule by its own type.
		] as ICredentialTestRequest['rules'],
	};
}
