import {
	NodeConnectionTypes,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { asMade, isMadeHere, isNodeError, runOf } from '../../../../errors/node-error';
import { startMemory, startOnce } from '../../../../starts/memory';
import { noResponseAdvice } from '../../../../starts/outcome';
import { sendOnce, toReader } from '../../../routing/send-request';

type Outcome = { items: INodeExecutionData[]; error?: undefined } | { items?: undefined; error: Error };

const send = sendOnce({
	address: 'automationUrl',
	advice: noResponseAdvice,
	run: { thread_id: null, status: 'interrupted' },
});

/** The input of the item. For a kind without input, n8n returns an empty object, a new one each time. */
function inputOf(context: IExecutePaginationFunctions): object {
	const kinds = [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool];
	const kind = kinds.find((type) => context.getInputData(0, type) === context.getInputData(0, type));
	return context.getInputData(0, kind).json;
}

const surelyHadNoEffect = ({ error }: Outcome): boolean =>
	isNodeError(error) && isMadeHere(error) && runOf(error) === undefined;

/** Sends a start at most once for an item of an execution, also if n8n tries the node again. */
export const sendStart = toReader(async function (
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const start = async (): Promise<Outcome> =>
		await send.call(this, request).then(
			(items) => ({ items }),
			(error: Error) => ({ error }),
		);
	const { items, error } = await startOnce(
		startMemory<Outcome>(this, this.getItemIndex(), inputOf(this)),
		start,
		surelyHadNoEffect,
	);
	if (items) return items;
	throw isNodeError(error) ? asMade(error) : error;
});
