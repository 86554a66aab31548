// Reads one item's credential from n8n. A failing expression in it fails that item.

import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { credentialFailure, FailureError, unreadableInput } from '../failure/failure';

export async function readCredentials(
	context: IExecuteFunctions,
	type: string,
	itemIndex: number,
): Promise<ICredentialDataDecryptedObject> {
	return await context.getCredentials(type, itemIndex).catch((error: Error) => {
		const advice = 'Correct the expression in the credential';
		const { failure } = unreadableInput(error, advice, 'Select a credential in this node');
		throw new FailureError(credentialFailure(failure));
	});
}
