import type { IExecuteFunctions, INodeExecutionData, INodeProperties, NodeApiError } from 'n8n-workflow';

import { endNode, runItems, type NodeItem, type Parsed } from '../../shared/all-items';
import { busyGate, type BusyGate, type Sent } from '../../shared/start/busy';
import { nodeError } from '../../shared/failure/node-error';
import { readExecution, type Execution } from '../../shared/n8n/execution';
import { FailureError, unreadableInput, type Failure } from '../../shared/failure/failure';
import { readChoice } from '../../shared/form/read';
import { ledgerOf } from '../../shared/start/ledger';
import type { Outcome } from '../../shared/outcome';
import { readCredentials } from '../../shared/read-credentials';
import { possibleRun } from '../../shared/start/start-response';
import { API_KEY, authenticationField, CREDENTIAL_TYPES, resourceField, resources } from '../resources';
import { operationList } from '../resources/operation';
import type { Call, ChosenOperation } from './call';
import { ownSteps, requestedThread } from './own-steps';
import { hintsOf, itemsIn } from './read-response';
import { readForm } from './request-fields';
import { secretsOf, sendOnce, sendUnlessBusy } from '../routing/send';

/** At the same time. */
const MAX_ITEMS = 10;

/** For a busy service; an agent does not wait. */
const MAX_WAIT_MS = 120_000;

/** Sends one request per item that is not settled, and returns items in the order of the input. */
export async function executeAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = context.getInputData();
	if (input.length === 0) return [];
	const execution = readExecution(context);
	// n8n attempts a node again after a stop.
	if (execution.stop?.aborted) return [];
	const items: Array<NodeItem<Call>> = [];
	for (const [index, { json }] of input.entries()) {
		const parsed = await readCall(context, execution, index);
		items.push({ index, input: json, parsed, ledger: ledgerOf<Outcome>(execution, index, json) });
	}
	const busy = busyGate(execution, execution.isTool ? 0 : MAX_WAIT_MS);
	busy.beginAttempt();
	const node = { context, execution, items };
	await runItems(node, {
		limit: MAX_ITEMS,
		run: async ({ parsed }, mayNotStart) => await perform(parsed.value!, busy, mayNotStart),
		isFinal: (_item, { failure }) => !failure || failure.cause === 'unknownEffect' || failure.run !== undefined,
	});
	return endNode(node, {
		errorOf: ({ index, parsed }, failure) =>
			nodeError(execution, failure, { itemIndex: index }, parsed.value ? secretsOf(parsed.value) : []),
		effectOf: (_item, { effect }) => effect,
	});
}

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

async function readCall(context: IExecuteFunctions, execution: Execution, itemIndex: number): Promise<Parsed<Call>> {
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

async function perform(call: Call, busy: BusyGate, mayNotStart: () => boolean): Promise<Sent<Outcome>> {
	const { itemIndex, operation } = call;
	try {
		const result = await operation.send?.(call, async () => await sendOnce(call));
		if (result?.failure) throw new FailureError(result.failure);
		const sent = result
			? ({ is: 'done', value: result.response! } as const)
			: await sendUnlessBusy(call, busy, mayNotStart);
		if (sent.is === 'unsent') return sent;
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
