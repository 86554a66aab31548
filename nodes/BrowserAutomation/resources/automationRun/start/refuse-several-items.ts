import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { refuse } from '../../../routing/refuse';

/**
 * Refuses several input items if the node stops on an error: n8n sends the requests of all items at once, and one failure
 * would lose the thread IDs of the runs that were started and are billed.
 */
export async function refuseSeveralItems(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const count = countItems(this);
	if (count > 1 && !this.continueOnFail()) {
		throw refuse(
			this,
			`Received ${count} items. Start accepts only one if On Error is set to Stop Workflow`,
			'No run was started. Set On Error to Continue in the settings of this node',
		);
	}
	return request;
}

function countItems(context: IExecuteSingleFunctions): number {
	if (context.getNode().executeOnce) return 1;
	const { main, ai_tool: tool } = context.getExecuteData().data;
	return (main ?? tool)?.[0]?.length ?? 1;
}
