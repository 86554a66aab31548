import type { IExecuteFunctions, INodeProperties, NodeApiError } from 'n8n-workflow';

import type { ValueOrFailure } from '../../shared/items/all-items';
import type { BusyGate, OrNotStarted } from '../../shared/start/busy';
import type { Execution } from '../../shared/n8n/execution';
import { FailureError, unreadableInput, type Failure } from '../../shared/failure/failure';
import { readChoice } from '../../shared/form/read';
import type { Outcome } from '../../shared/items/outcome';
import { readCredentials } from '../../shared/http/read-credentials';
import { possibleRun } from '../../shared/start/start-response';
import { API_KEY, authenticationField, CREDENTIAL_TYPES, resourceField, resources } from '../resources';
import { operationList } from '../resources/operation';
import type { Call, ChosenOperation } from './call';
import { ownSteps, requestedThread } from './own-steps';
import { hintsOf, itemsIn } from './read-response';
import { readForm } from './request-fields';
import { sendOnce, sendThroughGate } from './send';

/** n8n evaluates no expression in these lists and checks nothing. */
function chosenOperation(context: IExecuteFunctions, itemIndex: number): ChosenOperation {
	const choose = (list: INodeProperties) =>
		readChoice<string>(list, context.getNodeParameter(list.name, itemIndex, list.default));
	const authentication = choose(authenticationField) as keyof typeof CREDENTIAL_TYPES;
	const chosen = choose(resourceField);
	const resource = resources.find(({ value }) => value === chosen)!;
	const { fields = [], notFound, operations } = resource;
	const name = choose(operationList(resource));
	const operation = operations.find(({ value }) => value === name)!;
	return {
		...operation,
		...ownSteps.get(operation),
		notFound,
		fields: [...fields, ...operation.fields],
		credentialType: CREDENTIAL_TYPES[authentication] ?? API_KEY,
	};
}

export async function readCall(
	context: IExecuteFunctions,
	execution: Execution,
	itemIndex: number,
): Promise<ValueOrFailure<Call>> {
	let startsRun: boolean | undefined;
	try {
		const operation = chosenOperation(context, itemIndex);
		({ startsRun } = operation);
		const form = readForm(context, execution, itemIndex, operation);
		await operation.prepare?.(form);
		return { value: { ...form, credentials: await readCredentials(context, operation.credentialType, itemIndex) } };
	} catch (error) {
		// Errors of n8n's own helpers are about the input, such as a missing file.
		const advice = (error as NodeApiError).description || 'Nothing was sent. Correct the fields of this node';
		const { failure } = error instanceof FailureError ? error : unreadableInput(error as Error, advice);
		return { failure: startsRun ? { ...failure, effect: 'none' } : failure };
	}
}

export async function perform(call: Call, gate: BusyGate, isEnding: () => boolean): Promise<OrNotStarted<Outcome>> {
	const { itemIndex, operation } = call;
	try {
		const result = await operation.send?.(call, async () => await sendOnce(call));
		if (result?.failure) throw new FailureError(result.failure);
		const sent = result
			? ({ is: 'done', value: result.response! } as const)
			: await sendThroughGate(call, gate, isEnding);
		if (sent.is === 'notStarted') return sent;
		const items = await itemsIn(sent.value, call);
		const own = items.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
		return { is: 'done', value: { items: own, hints: hintsOf(sent.value, call) } };
	} catch (error) {
		return { is: 'done', value: { failure: failureInItem(error as Error, call) } };
	}
}

function failureInItem(error: Error, call: Call): Failure {
	const { startsRun } = call.operation;
	if (error instanceof FailureError) return startsRun ? { effect: 'none', ...error.failure } : error.failure;
	const { message, description } = error as NodeApiError;
	return { reason: message, ...(startsRun ? possibleRun(requestedThread(call)) : { advice: description ?? '' }) };
}
