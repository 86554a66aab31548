import type { IExecuteSingleFunctions } from 'n8n-workflow';

/** Name of a file about the session of the form. */
export function sessionFile(context: IExecuteSingleFunctions, extension: string): string {
	const id = String(context.getNodeParameter('sessionId', '')).replace(/[^\w-]+/g, '_');
	return `${id}.${extension}`;
}
