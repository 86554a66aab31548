import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { secretsIn } from '../../token/credential-values';
import { tokensInUse } from '../../token/share-token';

export const API_KEY = 'browserAutomationApi';
export const USER_LOGIN = 'browserAutomationOAuth2PasswordApi';

/** The type of credential that the form chooses. Workflows from before there was a choice take the API key. */
export const credentialType = (context: IExecuteSingleFunctions) =>
	context.getNodeParameter('authentication', 'apiKey') === 'oAuth2Password' ? USER_LOGIN : API_KEY;

/** What of the chosen credential must not be shown, wherever a server has echoed it. */
export async function credentialSecrets(context: IExecuteSingleFunctions): Promise<unknown[]> {
	const type = credentialType(context);
	const secrets = secretsIn(await context.getCredentials(type));
	return type === USER_LOGIN ? [...secrets, ...tokensInUse(context)] : secrets;
}
