import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { refusal } from '../../routing/refusal';

/**
 * Refuses several input items while the node is to stop at the first failure: n8n sends the requests of all items at once,
 * and one failure would throw away the thread IDs of the runs that have started and are paid for.
 */
export async function refuseSeveralItems(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const count = countItems(this);
	if (count > 1 && !this.continueOnFail()) {
		throw refusal(
			this,
			`Start takes one item at a time while On Error is Stop Workflow, and ${count} came in`,
			'Use the node Run Automation, which starts one run after the other, or set On Error to Continue in the settings of this node. Nothing was started',
		);
	}
	return request;
}

function countItems(context: IExecuteSingleFunctions): number {
	if (context.getNode().executeOnce) return 1;
	const { main, ai_tool: tool } = context.getExecuteData().data;
	return (main ?? tool)?.[0]?.length ?? 1;
}
