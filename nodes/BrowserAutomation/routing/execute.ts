import {
	NodeApiError,
	NodeConnectionTypes,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type INodeProperties,
} from 'n8n-workflow';

import { FailureError, unreadableInput, type Failure } from '../../shared/failure';
import { noResponseFailure } from '../../shared/no-response';
import { errorItem, nodeError } from '../../shared/error';
import { maskOf } from '../../shared/secrets';
import { busyGate, isBusy, type Attempt, type BusyGate, type Sent } from '../../shared/busy';
import { readExecution, type Execution } from '../../shared/execution';
import { bodyOf, Watchdog, watchedBy } from '../../shared/watchdog';
import { readChoice } from '../../shared/form/read';
import { ledgerOf } from '../../shared/ledger';
import { logStart } from '../../shared/record-runs';
import { isRejection, NO_TIME_LEFT, noStartFailure, possibleRun } from '../../shared/start-response';
import { readBody } from '../../shared/read-body';
import { isChallenge, isRedirect } from '../../shared/service-failure';
import { threadIdIn } from '../../shared/thread';
import { secretsIn, urlIn, type CredentialUse, type TokenUse } from '../../shared/credential';
import { sendWithSharedToken, tokensInUse } from '../../shared/token';
import { authenticationField, resourceField, resources, USER_LOGIN } from '../resources';
import { operationList } from '../resources/operation';
import { credentialType, type SendResult, type Call, type ChosenOperation } from './call';
import { ownSteps, requestedThread } from './own-steps';
import { failureIn, itemsIn } from './read-response';
import { readForm } from './request-fields';

// A declarative node can send requests itself only as its `pagination`. There it returns its items, error items included; n8n's
// own way would lose the thread and the input item of an error, and check no field.

const NO_RESPONSE_ADVICE = {
	unsent: "Check 'Base URL' in the credential, and that n8n can reach it",
	sent: "Try again later. If it happens again, check 'Base URL' in the credential",
};

const CHECK_EFFECT = "The request may have had an effect. Check in the service's web console before you send it again";

/** A second request could do harm, although it starts no run. */
const isSentOnce = ({ request, operation: { isRepeatable, startsRun } }: Call): boolean =>
	request.method === 'POST' && !isRepeatable && !startsRun;

function failureOfError(error: Error, startsRun?: boolean, thread?: string): Failure {
	if (!(error instanceof FailureError)) {
		const { message, description } = error as NodeApiError;
		return { reason: message, ...(startsRun ? possibleRun(thread) : { advice: description ?? '' }) };
	}
	const { failure } = error;
	return startsRun ? { ...failure, effect: failure.effect ?? 'none' } : failure;
}

const urlFieldIn = ({ operation }: Call): CredentialUse['urlField'] =>
	operation.startsRun ? 'automationUrl' : 'baseUrl';

async function request(call: Call, options = call.request): Promise<IN8nHttpFullResponse> {
	const { context, execution } = call;
	const type = credentialType(context);
	const sendWith = async (token?: TokenUse) => {
		const credentialUse: CredentialUse = { urlField: urlFieldIn(call), token };
		const full = { ...options, credentialUse, returnFullResponse: true };
		return (await context.helpers.httpRequestWithAuthentication.call(context, type, full)) as IN8nHttpFullResponse;
	};
	if (type !== USER_LOGIN) return await sendWith();
	return await sendWithSharedToken(execution.memory, await context.getCredentials(USER_LOGIN), sendWith);
}

const CLIENT_TIMEOUT_MS = 300_000;

/** Its headers may name a thread that is billed, whatever happens to the body. */
async function requestStart(call: Call): Promise<IN8nHttpFullResponse> {
	const { context, execution } = call;
	// n8n's client ends a request without data first, with an error that says more. This closes what it leaves open.
	const idle = (call.request.timeout ?? CLIENT_TIMEOUT_MS) + 10_000;
	const limits = { idle, total: Infinity, workflow: execution.endsAt - performance.now() };
	const watchdog = new Watchdog(limits, execution.stop);
	try {
		const watched = { ...call, context: watchedBy(watchdog, context) };
		const response = await request(watched, { ...call.request, encoding: 'stream' }).catch((error: NodeApiError) => {
			throw new FailureError(noStartFailure(watchdog, error, requestedThread(call)));
		});
		const body = await readBody(bodyOf(response.body), watchdog);
		const threadId = threadIdIn(response.headers, body);
		const mask = maskOf(await credentialSecrets(context, execution));
		if (threadId !== undefined) logStart(context, 'started', context.getItemIndex(), mask(threadId));
		return { ...response, body: body as IN8nHttpFullResponse['body'] };
	} finally {
		watchdog.close();
	}
}

/** Beside a failed request that may have done harm. */
const asSentOnce = (failure: Failure, call: Call, advice = CHECK_EFFECT): Failure =>
	isSentOnce(call) ? { ...failure, advice, cause: 'unknownEffect' } : failure;

async function responseFailure(response: IN8nHttpFullResponse, call: Call): Promise<Failure | undefined> {
	const { statusCode, headers } = response;
	const credentials = isRedirect(statusCode) && (await call.context.getCredentials(credentialType(call.context)));
	const url = credentials ? urlIn(credentials, urlFieldIn(call)) : undefined;
	const failure = failureIn({ ...response, url }, call);
	if (!failure || isRejection(statusCode) || isChallenge(headers)) return failure;
	return asSentOnce(failure, call, statusCode < 400 ? failure.advice : CHECK_EFFECT);
}

/** Only the cause of a client error is kept: it contains the key and the cookies. */
async function sendOnce(call: Call): Promise<SendResult> {
	const { startsRun } = call.operation;
	try {
		const response = startsRun ? await requestStart(call) : await request(call);
		return { response, failure: await responseFailure(response, call) };
	} catch (error) {
		if (!(error instanceof NodeApiError))
			return { failure: failureOfError(error as Error, startsRun, requestedThread(call)) };
		const failure = noResponseFailure(error, NO_RESPONSE_ADVICE);
		return { failure: failure.cause ? failure : asSentOnce(failure, call) };
	}
}

/** For a busy service; an agent does not wait. */
const MAX_WAIT_MS = 120_000;

function maySendAgain({ response, failure }: SendResult, call: Call): boolean {
	if (!response || !failure || isChallenge(response.headers)) return false;
	if (call.operation.startsRun) return failure.cause === 'busy';
	return isBusy(response.statusCode) || (response.statusCode === 503 && !isSentOnce(call));
}

const STOPPED: Failure = { reason: 'The execution was stopped', advice: 'Nothing was sent' };

async function sendUnlessBusy(call: Call, busy: BusyGate): Promise<IN8nHttpFullResponse> {
	const { context, execution, operation } = call;
	let isLogged = !operation.startsRun;
	const attempt = async (): Promise<Attempt<IN8nHttpFullResponse>> => {
		if (operation.startsRun && execution.endsAt <= performance.now()) throw new FailureError(NO_TIME_LEFT);
		if (!isLogged) logStart(context, 'requested', context.getItemIndex());
		isLogged = true;
		const result = await sendOnce(call);
		const { failure, response } = result;
		if (!failure) return { is: 'accepted', read: () => response! };
		const isAgain = maySendAgain(result, call);
		if (!isAgain && failure.cause !== 'unavailable') throw new FailureError(failure);
		// Other items, whose credentials may differ, end with the same failure.
		const reason = maskOf(await credentialSecrets(context, execution))(failure.reason);
		const shared = { ...failure, reason, headers: response?.headers };
		return { is: isAgain ? 'busy' : 'unavailable', failure: shared };
	};
	const sent = await busy.send(attempt, { isOver: () => execution.stop?.aborted === true });
	if (sent.is === 'unsent') throw new FailureError(STOPPED);
	return sent.value;
}

async function prepared(read: () => Call): Promise<Call> {
	try {
		const call = read();
		await call.operation.prepare?.(call);
		return call;
	} catch (error) {
		// Errors of n8n's own helpers are about the input, such as a missing file.
		const advice = (error as NodeApiError).description || 'Nothing was sent. Correct the fields of this node';
		throw error instanceof FailureError ? error : unreadableInput(error as Error, advice);
	}
}

async function perform(read: () => Call, isLaterAttempt: boolean): Promise<INodeExecutionData[]> {
	const call = await prepared(read);
	const { execution, operation } = call;
	const busy = busyGate(execution, execution.isTool ? 0 : MAX_WAIT_MS);
	if (isLaterAttempt) busy.beginAttempt();
	const result = await operation.send?.(call, async () => await sendOnce(call));
	if (result?.failure) throw new FailureError(result.failure);
	return await itemsIn(result?.response ?? (await sendUnlessBusy(call, busy)), call);
}

async function credentialSecrets(context: IExecuteSingleFunctions, { memory }: Execution): Promise<unknown[]> {
	const type = credentialType(context);
	// Without a credential, nothing was sent.
	const secrets = await context.getCredentials(type).then(secretsIn, () => []);
	return type === USER_LOGIN ? [...secrets, ...tokensInUse(memory)] : secrets;
}

/** For a kind without input, n8n returns a new empty object each time. */
function inputOf(context: IExecuteSingleFunctions): object {
	const kinds = [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool];
	const kind = kinds.find((type) => context.getInputData(0, type) === context.getInputData(0, type));
	return context.getInputData(0, kind).json;
}

type Performed = { items: INodeExecutionData[]; error?: undefined } | { items?: undefined; error: Error };

/** Neither a success nor a request that may have had an effect is sent again. */
function isFinal({ items, error }: Performed, startsRun: boolean | undefined): boolean {
	if (items) return true;
	if (!(error instanceof FailureError)) return startsRun === true;
	return error.failure.cause === 'unknownEffect' || error.failure.run !== undefined;
}

/** n8n evaluates no expression in these lists and checks nothing. */
function chosenOperation(context: IExecuteSingleFunctions): ChosenOperation {
	const choose = (list: INodeProperties) => readChoice<string>(list, context.getNodeParameter(list.name, list.default));
	choose(authenticationField);
	const chosen = choose(resourceField);
	const resource = resources.find(({ value }) => value === chosen)!;
	const { fields = [], notFound, operations } = resource;
	const name = choose(operationList(resource));
	const operation = operations.find(({ value }) => value === name)!;
	return { ...operation, ...ownSteps.get(operation), notFound, fields: [...fields, ...operation.fields] };
}

export async function executeOperation(
	context: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const itemIndex = context.getItemIndex();
	const execution = readExecution(context);
	let operation: ChosenOperation | undefined;
	try {
		const chosen = (operation = chosenOperation(context));
		const ledger = ledgerOf<Performed>(execution, itemIndex, inputOf(context));
		const read = () => readForm(context, execution, chosen, options as Call['request']);
		const run = async (): Promise<Sent<Performed>> =>
			await perform(read, ledger.state.outcome !== undefined).then(
				(items) => ({ is: 'done', value: { items } }),
				(error: Error) => ({ is: 'done', value: { error } }),
			);
		await ledger.attempt(run, (outcome) => isFinal(outcome, chosen.startsRun));
		const performed = ledger.state.outcome!;
		if (performed.error) throw performed.error;
		// n8n changes the items that it gets; a later attempt gets the original items.
		return performed.items.map((item) => ({ ...item, json: { ...item.json }, pairedItem: { item: itemIndex } }));
	} catch (error) {
		const failure = failureOfError(error as Error, operation?.startsRun);
		const nodeFailure = nodeError(execution, failure, { itemIndex }, await credentialSecrets(context, execution));
		if (!execution.continues) throw nodeFailure;
		return [errorItem(execution, nodeFailure, itemIndex, { effect: failure.effect })];
	}
}
