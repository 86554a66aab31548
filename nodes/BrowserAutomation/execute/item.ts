// Reads an item of Browser Automation into a request, sends it, and makes items of the response.

import type { IDataObject, IExecuteFunctions, INodeParameters, INodeProperties, NodeApiError } from 'n8n-workflow';

import type { NodeItem } from '../../shared/items/all-items';
import { changedValues, fingerprintOf } from '../../shared/items/saved';
import type { BusyGate } from '../../shared/http/busy';
import { ledgerOf, type Ledger } from '../../shared/start/ledger';
import type { Execution } from '../../shared/n8n/execution';
import { FailureError, unreadableInput, type Failure } from '../../shared/failure/failure';
import { readChoice } from '../../shared/form/read';
import type { Outcome } from '../../shared/items/outcome';
import { urlIn } from '../../shared/http/credential';
import { readCredentials } from '../../shared/http/read-credentials';
import { possibleRun } from '../../shared/start/start-response';
import { API_KEY, authenticationField, CREDENTIAL_TYPES, resourceField, resources } from '../resources';
import { operationList } from '../resources/operation';
import { requestedThread, type Call, type ChosenOperation } from '../request/call';
import { ownSteps } from '../own-steps/own-steps';
import { hintsOf, itemsIn } from '../request/read-response';
import { readForm } from '../request/request-fields';
import { secretsOf, sendOnce, sendWhileBusy } from '../request/send';

/** n8n neither evaluates expressions in these lists nor checks their values. */
function chosenOperation(context: IExecuteFunctions, itemIndex: number): ChosenOperation {
	const choose = (list: INodeProperties) =>
		readChoice<string>(list, context.getNodeParameter(list.name, itemIndex, list.default));
	const authentication = choose(authenticationField) as keyof typeof CREDENTIAL_TYPES;
	const chosen = choose(resourceField);
	const resource = resources.find(({ value }) => value === chosen)!;
	const { fields = [], operations } = resource;
	const name = choose(operationList(resource));
	const operation = operations.find(({ value }) => value === name)!;
	return {
		...operation,
		...ownSteps.get(operation),
		fields: [...fields, ...operation.fields],
		credentialType: CREDENTIAL_TYPES[authentication] ?? API_KEY,
	};
}

export async function readItem(
	context: IExecuteFunctions,
	execution: Execution,
	index: number,
	input: IDataObject,
): Promise<NodeItem<Call>> {
	const item = { index, input, included: {}, ledger: ledgerOf<Outcome>(execution, index, input) };
	let startsRun = false;
	try {
		const operation = chosenOperation(context, index);
		startsRun = operation.startsRun === true;
		const call = await readCall(context, execution, index, operation);
		const fingerprint = startsRun ? startFingerprint(call) : undefined;
		return { ...item, startsRun, fingerprint, parsed: { value: call }, secrets: () => secretsOf(call) };
	} catch (error) {
		// n8n's own helpers throw errors about the input, such as a missing file.
		const advice = (error as NodeApiError).description || 'Nothing was sent. Correct the fields of this node';
		const { failure } = error instanceof FailureError ? error : unreadableInput(error as Error, advice);
		return { ...item, startsRun, fingerprint: undefined, parsed: { failure }, secrets: () => [] };
	}
}

async function readCall(
	context: IExecuteFunctions,
	execution: Execution,
	itemIndex: number,
	operation: ChosenOperation,
): Promise<Call> {
	const form = readForm(context, execution, itemIndex, operation);
	await operation.prepare?.(form);
	return { ...form, credentials: await readCredentials(context, operation.credentialType, itemIndex) };
}

function startFingerprint({ execution: { node }, operation: { fields }, credentials }: Call): string {
	const { options, ...parameters } = node.parameters;
	const optionFields = fields.flatMap((field) =>
		field.type === 'collection' ? (field.options as INodeProperties[]) : [],
	);
	return fingerprintOf(
		changedValues(fields, parameters),
		changedValues(optionFields, Object(options) as INodeParameters),
		urlIn(credentials, 'automationUrl'),
	);
}

/** Returns nothing if the node was ending, and nothing was sent. */
export async function perform(
	call: Call,
	ledger: Ledger<unknown>,
	gate: BusyGate,
	ending: AbortSignal,
): Promise<Outcome | undefined> {
	try {
		const result = await call.operation.send?.(call, async () => await sendOnce(call));
		if (result?.failure) throw new FailureError(result.failure);
		const response = result?.response ?? (await sendWhileBusy(call, ledger, gate, ending));
		return response && { items: await itemsIn(response, call), hints: hintsOf(response, call) };
	} catch (error) {
		return { failure: failureInItem(error as Error, call) };
	}
}

function failureInItem(error: Error, call: Call): Failure {
	const { startsRun } = call.operation;
	if (error instanceof FailureError) return error.failure;
	const { message, description } = error as NodeApiError;
	if (startsRun) return { reason: message, ...possibleRun(requestedThread(call)) };
	return { reason: message, advice: description ?? '', effect: 'none' };
}
