import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { findUrlFault, trimUrl } from '../nodes/shared/service-url';

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
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com',
			description:
				'Address of the main REST interface. It is first proven by use: the connection test below reaches the Automation URL only.',
		},
		{
			displayName: 'Automation URL',
			name: 'automationUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://automation.example.com',
			description: 'Address of the automation builder, without /api/anything/start',
		},
		{
			displayName: 'Allow Unencrypted Connections',
			name: 'allowUnencrypted',
			type: 'boolean',
			default: false,
			description:
				'Whether to send the key to http:// addresses other than this machine. Anybody on the way can then read the key: turn it on only inside a private network that you trust.',
		},
	];

	/** Adds the key to a request, unless its address would carry the key unencrypted or is no address at all. */
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { baseURL } = request;
		// Without a base URL the request comes from n8n's HTTP Request node: its address may hold a query, and is called
		// `uri` in the older kind of request that this node still sends.
		const { url, uri } = request as { url?: string; uri?: string };
		const target = baseURL === undefined ? (url ?? uri ?? '').replace(/[?#].*$/s, '') : trimUrl(baseURL);
		const fault = findUrlFault(target, nameOf(target, credentials), credentials.allowUnencrypted === true);
		if (fault) throw new Error(fault);
		const key = String(credentials.apiKey ?? '').trim();
		if (key === '') throw new Error('API Key is empty. Enter the key of the service in the credential');
		return {
			...request,
			...(baseURL === undefined ? {} : { baseURL: target }),
			headers: { ...request.headers, Authorization: `Bearer ${key}` },
		};
	}

	/**
	 * Proves the Automation URL and the key, free of charge: a start with a retired version and without a task answers
	 * 400 to a good key and 401 to a bad one, and starts nothing (contract, section 7). The 400 counts as an answer; every
	 * status that tells of a wrong key or address does not.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.automationUrl}}',
			url: '/api/anything/start',
			method: 'POST',
			body: { version: 'v1' },
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: {
				ignore: true,
				except: [301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 429, 500, 501, 502, 503, 504, 529],
			},
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

function nameOf(url: string, { baseUrl, automationUrl }: ICredentialDataDecryptedObject): string {
	if (url === trimUrl(String(automationUrl ?? ''))) return 'Automation URL';
	if (url === trimUrl(String(baseUrl ?? ''))) return 'Base URL';
	return 'The address';
}
