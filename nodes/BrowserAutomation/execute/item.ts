// Reads an item of Browser Automation into a request, and makes its outcome.

import type { IDataObject, IExecuteFunctions, INodeParameters, INodeProperties, NodeApiError } from 'n8n-workflow';

import type { NodeItem } from '../../shared/items/all-items';
import { changedValues, fingerprintOf } from '../../shared/items/saved';
import type { BusyGate } from '../../shared/http/busy';
import { ledgerOf, type Ledger } from '../../shared/start/ledger';
import type { Execution } from '../../shared/n8n/execution';
import { FailureError, inputError, unreadableInput, type Failure } from '../../shared/failure/failure';
import { readChoice } from '../../shared/form/read';
import type { Outcome } from '../../shared/items/outcome';
import { API_KEY, readCredentials, urlIn } from '../../shared/http/credential';
import { possibleRun } from '../../shared/start/start-response';
import { authenticationField, CREDENTIAL_TYPES, resourceField, resources } from '../resources';
import { operationList } from '../resources/operation';
import { allFieldsOf, readFields, requestedThread, type Call } from '../request/fields';
import { ownSteps } from '../own-steps/own-steps';
import { urlFieldOf } from '../request/response';
import { secretsOf, sendUntilAccepted } from '../request/send';

type Choice = Pick<Call, 'credentialType' | 'operation' | 'steps'>;

/** n8n neither evaluates expressions in these lists nor checks their values. */
function chosenOperation(context: IExecuteFunctions, itemIndex: number): Choice {
	const choose = (list: INodeProperties) =>
		readChoice<string>(list, context.getNodeParameter(list.name, itemIndex, list.default));
	const authentication = choose(authenticationField) as keyof typeof CREDENTIAL_TYPES;
	const chosen = choose(resourceField);
	const resource = resources.find(({ value }) => value === chosen)!;
	const { fields = [], operations } = resource;
	const name = choose(operationList(resource));
	const operation = operations.find(({ value }) => value === name)!;
	return {
		operation: { ...operation, fields: [...fields, ...operation.fields] },
		steps: ownSteps.get(operation) ?? {},
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
		const choice = chosenOperation(context, index);
		startsRun = choice.operation.startsRun === true;
		const call = await readCall(context, execution, index, choice);
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
	choice: Choice,
): Promise<Call> {
	const { credentialType, operation, steps } = choice;
	if (operation.startsRun && credentialType !== API_KEY) {
		throw inputError(
			'Runs are started with an API key, not with a user name and a password',
			"Select a 'Browser Automation API' credential in this node",
		);
	}
	const item = { context, execution, itemIndex, ...choice };
	const read = readFields(item);
	const credentials = await readCredentials(context, credentialType, itemIndex, urlFieldOf(operation));
	const call = { ...item, ...read, credentials };
	await steps.prepare?.(call);
	return call;
}

function startFingerprint({ execution: { node }, operation, credentials }: Call): string {
	const { options, ...parameters } = node.parameters;
	return fingerprintOf(
		changedValues(operation.fields, parameters),
		changedValues(
			allFieldsOf(operation).filter(({ group }) => group !== undefined),
			Object(options) as INodeParameters,
		),
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
		return await sendUntilAccepted(call, ledger, gate, ending);
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
