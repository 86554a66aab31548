// All items of Browser Automation: each is read and checked completely, then sent, and the node ends with their outcomes.

import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeParameters, NodeApiError } from 'n8n-workflow';

import { ItemQueue, newItem, type NodeItem } from '../../shared/items/all-items';
import { endNode } from '../../shared/items/end-node';
import { changedValues, fingerprintOf } from '../../shared/items/saved';
import { inputItems, readExecution, type Execution } from '../../shared/n8n/execution';
import { failureOfInput, inputError } from '../../shared/failure/failure';
import { fieldsAndOptions } from '../../shared/form/fields';
import { readChoice } from '../../shared/form/read';
import { BusyGate } from '../../shared/http/busy';
import { API_KEY, readCredentials, urlIn } from '../../shared/http/credential';
import { authenticationField, CREDENTIAL_TYPES, resourceField, resources } from '../resources';
import { start } from '../resources/automationRun';
import { createConnectLink } from '../resources/mailbox';
import { operationField, urlFieldOf, type Operation } from '../resources/operation';
import { connectWallet } from '../resources/payment';
import { setCookies } from '../resources/profile';
import { getSecret } from '../resources/secret';
import { getReplay } from '../resources/session';
import { readRequest, type Call, type OwnSteps } from '../request/request';
import { secretsOf, send } from '../request/send';
import { getReplaySteps } from '../own-steps/get-replay';
import { connectLinkSteps, connectWalletSteps, getSecretSteps, startSteps } from '../own-steps/others';
import { setCookiesSteps } from '../own-steps/set-cookies';

const MAX_SIMULTANEOUS_ITEMS = 10;

/** The wait for a busy service. AI agents do not wait. */
const MAX_WAIT_MS = 120_000;

export async function executeAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = inputItems(context);
	if (input.length === 0) return [];
	const execution = readExecution(context);
	// n8n attempts a node again after a stop.
	if (execution.stop?.aborted) return [];
	// An invalid item or credential may stop the node, so all are read before anything is sent.
	const items: Array<NodeItem<Call>> = [];
	for (const [index, { json }] of input.entries()) items.push(await readItem(context, execution, index, json));
	const gate = new BusyGate(execution.isTool ? 0 : MAX_WAIT_MS, execution.endsAt);
	const node = { context, execution, items };
	const queue = await ItemQueue.of(node);
	await queue.process(MAX_SIMULTANEOUS_ITEMS, async (call, ledger) => await send(call, ledger, gate, queue.nodeEnds));
	return endNode(node);
}

async function readItem(
	context: IExecuteFunctions,
	execution: Execution,
	index: number,
	input: IDataObject,
): Promise<NodeItem<Call>> {
	const item = newItem(execution, index, input);
	try {
		const chosen = chosenOperation(context, index);
		const { credentialType, operation, steps } = chosen;
		item.startsRun = operation.startsRun === true;
		if (item.startsRun && credentialType !== API_KEY) {
			throw inputError(
				'Runs are started with an API key, not with a user name and a password',
				"Select a 'Browser Automation API' credential in this node",
			);
		}
		const unread = { context, execution, itemIndex: index, ...chosen };
		const read = readRequest(unread);
		const credentials = await readCredentials(context, credentialType, index, urlFieldOf(operation));
		const unprepared: Call = { ...unread, ...read, credentials };
		const call: Call = { ...unprepared, ...(await steps.prepare?.(unprepared)) };
		const fingerprint = item.startsRun ? startFingerprint(call) : undefined;
		return { ...item, fingerprint, parsed: { value: call }, secrets: () => secretsOf(call) };
	} catch (error) {
		// n8n's own helpers throw errors about the input, such as a missing file.
		const advice = (error as NodeApiError).description || 'Nothing was sent. Correct the fields of this node';
		return { ...item, parsed: { failure: failureOfInput(error, advice) } };
	}
}

/** What single operations do beside their declaration. n8n loads `resources` at its start, so it is not declared there. */
const ownSteps = new Map<Operation, OwnSteps>([
	[connectWallet, connectWalletSteps],
	[createConnectLink, connectLinkSteps],
	[getReplay, getReplaySteps],
	[getSecret, getSecretSteps],
	[setCookies, setCookiesSteps],
	[start, startSteps],
]);

/** n8n neither evaluates expressions in these lists nor checks their values. */
function chosenOperation(
	context: IExecuteFunctions,
	itemIndex: number,
): Pick<Call, 'credentialType' | 'operation' | 'steps'> {
	const choose = (list: typeof resourceField) =>
		readChoice<string>(list, context.getNodeParameter(list.name, itemIndex, list.default));
	const authentication = choose(authenticationField) as keyof typeof CREDENTIAL_TYPES;
	const chosen = choose(resourceField);
	const resource = resources.find(({ value }) => value === chosen)!;
	const { fields = [], operations } = resource;
	const name = choose(operationField(resource));
	const operation = operations.find(({ value }) => value === name)!;
	return {
		operation: { ...operation, fields: [...fields, ...operation.fields] },
		// The key is the declared object, not its copy.
		steps: ownSteps.get(operation) ?? {},
		credentialType: CREDENTIAL_TYPES[authentication],
	};
}

/** Hashes what *Retry execution* recognizes a start by: its stored fields and its URL. */
function startFingerprint({ execution: { node }, operation, credentials }: Call): string {
	const { options, ...parameters } = node.parameters;
	const stored = { ...parameters, ...(Object(options) as INodeParameters) };
	return fingerprintOf(changedValues(fieldsAndOptions(operation.fields), stored), urlIn(credentials, 'automationUrl'));
}
