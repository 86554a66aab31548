import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { API_KEY, credentialType } from '../../../routing/credential';
import { refuse } from '../../../routing/refuse';

/** Refuses a start without an API key: the automation builder accepts nothing else. */
export async function requireApiKey(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	if (credentialType(this) === API_KEY) return request;
	throw refuse(
		this,
		'Runs are started with an API key, not with a user name and a password',
		'Choose a credential of the type Browser Automation API',
	);
}
