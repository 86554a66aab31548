// Makes the context in which n8n sends one request.

import type { ICredentialDataDecryptedObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

/** n8n would use the execution's signal and the first item's credential instead of these, also for tokens. */
export function withSignalAndCredentials(
	context: IExecuteFunctions,
	signal: AbortSignal,
	getCredentials: () => Promise<ICredentialDataDecryptedObject>,
): IExecuteFunctions {
	const { helpers } = context;
	const httpRequest = async (options: IHttpRequestOptions): Promise<unknown> => {
		const callersSignal = options.abortSignal as AbortSignal | undefined;
		const abortSignal = callersSignal ? AbortSignal.any([signal, callersSignal]) : signal;
		return await helpers.httpRequest({ ...options, abortSignal });
	};
	return Object.create(context, {
		getCredentials: { value: getCredentials },
		getExecutionCancelSignal: { value: () => signal },
		helpers: { value: Object.create(helpers, { httpRequest: { value: httpRequest } }) as object },
	}) as IExecuteFunctions;
}
