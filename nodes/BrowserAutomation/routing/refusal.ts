import { NodeOperationError, type IExecuteSingleFunctions } from 'n8n-workflow';

import { describe } from '../../shared/service-error';
import { tellAgent } from '../../shared/tool-use';

/**
 * The error for input that is not sent.
 *
 * @param fault what is wrong, naming the field; never with the value that it holds
 * @param advice what to do next
 */
export function refusal(context: IExecuteSingleFunctions, fault: string, advice: string): NodeOperationError {
	const error = new NodeOperationError(context.getNode(), fault, {
		itemIndex: context.getItemIndex(),
		description: describe(fault, advice),
	});
	return tellAgent(context, error);
}
