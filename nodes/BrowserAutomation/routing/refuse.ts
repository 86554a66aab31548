import type { IExecuteSingleFunctions, NodeOperationError } from 'n8n-workflow';

import { inputError } from '../../errors/node-error';
import { forReader } from '../../errors/reader';

/**
 * The error for input of this item that is not sent. It is put into words for its reader here, because an error before the
 * request passes no other place that does this.
 *
 * @param problem what is wrong, naming the field; never with the value that it holds
 */
export const refuse = (context: IExecuteSingleFunctions, problem: string, advice: string): NodeOperationError =>
	forReader(context, inputError(context.getNode(), context.getItemIndex(), problem, advice));
