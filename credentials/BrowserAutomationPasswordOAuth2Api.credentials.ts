// The credential with a user name and a password, which n8n exchanges for tokens (contract 5; RFC 6749, section 4.3).

import type { ICredentialDataDecryptedObject, ICredentialType, Icon, IHttpRequestHelper } from 'n8n-workflow';

import { issuedFor, storedToken, TOKEN_USE, type RequestWithUse, type TokenUse } from '../nodes/shared/http/credential';
import { CredentialError } from '../nodes/shared/failure/failure';
import { hiddenField, textField } from '../nodes/shared/form/fields';
import { connectionFields, connectionTest } from './connection';
import { addBearer } from './destination';

/** n8n then calls `preAuthentication`, and `authenticate` again. */
const preAuthenticationError = (message: string): Error =>
	Object.assign(new Error(message), { response: { status: 401 } });

function tokenToSend(credentials: ICredentialDataDecryptedObject, use?: TokenUse): string {
	if (use && use.user !== issuedFor(credentials)) {
		throw new CredentialError('The credential changes its values while it is used', 'Correct its expressions');
	}
	const token = use?.value ?? storedToken(credentials);
	if (token === '' || token === use?.rejected) {
		throw preAuthenticationError('The token of the credential has to be renewed');
	}
	use?.onUse(token);
	return token;
}

/** The lint rule wants the words in another order than in `name`. */
export class BrowserAutomationPasswordOAuth2Api implements ICredentialType {
	name = 'browserAutomationOAuth2PasswordApi';

	displayName = 'Browser Automation OAuth2 Password API';

	icon: Icon = {
		light: 'file:../icons/browser-automation.svg',
		dark: 'file:../icons/browser-automation.dark.svg',
	};

	documentationUrl = 'https://github.com/n8n-nodes-browser-automation/n8n-nodes-browser-automation#which-credential';

	properties: ICredentialType['properties'] = [
		textField('User Name', 'username', { required: true }),
		textField('Password', 'password', { typeOptions: { password: true }, required: true }),
		...connectionFields(
			'Used for everything except starting runs. The connection test requests a token from this URL plus /token.',
			{ hint: 'Optional, because starting runs requires an API key' },
			'the password and the tokens',
		),
		hiddenField('Access Token', 'accessToken', { typeOptions: { expirable: true, password: true } }),
		hiddenField('Issued For', 'issuedForToken', { typeOptions: { password: true } }),
	];

	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
		// n8n loads every credential at its start, so this loads on use.
		const { requestToken } = await import('./request-token.ts');
		const accessToken = await requestToken(this, credentials);
		// n8n stores the returned fields, but not this flag.
		credentials.isTokenNew = true;
		return { accessToken, issuedForToken: issuedFor(credentials) };
	}

	authenticate = async (credentials: ICredentialDataDecryptedObject, request: RequestWithUse) => {
		const isTest = request.credentialUse?.isTest === true;
		// A stored token would hide a wrong password.
		if (isTest && !credentials.isTokenNew) throw preAuthenticationError('A connection test needs a new token');
		return addBearer(credentials, request, tokenToSend(credentials, request[TOKEN_USE]), 'the token');
	};

	/** Both fields are invalid, so nothing is connected, and a valid token gets 422. */
	test = connectionTest('baseUrl', {
		url: '/payments/connect',
		body: { mode: 'invalid', x: 1 },
		proof: { status: 422, field: 'detail' },
		rejected: "The service issued a token for this user but does not accept it. Check 'Base URL'",
		forbidden:
			'This user lacks a permission, or a firewall rejects n8n. Check the permissions of the user, and the URL',
		missing: "This 'Base URL' issues tokens, but has no /payments/connect. Check the URL",
	});
}
