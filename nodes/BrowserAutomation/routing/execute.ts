import {
	NodeApiError,
	NodeConnectionTypes,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type INodeProperties,
} from 'n8n-workflow';

import { FailureError, unreadableInput, type Failure } from '../../errors/failure';
import { noResponseFailure } from '../../errors/no-response';
import { errorItem, nodeError } from '../../errors/node-error';
import { maskOf } from '../../errors/secrets';
import { busyGate, isBusy, type BusyGate } from '../../execution/busy';
import { readExecution, type Execution } from '../../execution/execution-context';
import { bodyOf, Watchdog, watchedBy, WORKFLOW_LIMIT } from '../../execution/watchdog';
import { readChoice } from '../../form/read-field';
import { ledgerOf, type Ledger } from '../../starts/ledger';
import { logStart } from '../../starts/record-runs';
import { noResponseAdvice, POSSIBLE_RUN, readBody, threadIdIn, withLongerWait } from '../../starts/response';
import { secretsIn, type CredentialUse, type TokenUse } from '../../token/credential';
import { sendWithSharedToken, tokensInUse } from '../../token/share-token';
import { authenticationField, resourceField, resources, USER_LOGIN } from '../resources';
import { operationList } from '../resources/operation';
import { credentialType, type SendResult, type Call, type ChosenOperation } from './call';
import { ownSteps } from './own-steps';
import { failureIn, itemsIn } from './read-response';
import { readForm } from './request-fields';

const noBaseUrlAdvice = (isUnsent: boolean): string =>
	isUnsent
		? "Check 'Base URL' in the credential, and that n8n can reach it"
		: "Try again later. If it happens again, check 'Base URL' in the credential";

/** An error of n8n, which may say what to do, or any other. */
type ThrownError = Error & { description?: string | null };

/** What happened, told by an error. */
function failureOf(error: ThrownError, startsRun?: boolean): Failure {
	if (!(error instanceof FailureError)) {
		const { message, description } = error;
		return { reason: message, ...(startsRun ? POSSIBLE_RUN : { advice: description ?? '' }) };
	}
	const { failure } = error;
	return startsRun ? { ...failure, effect: failure.effect ?? 'none' } : failure;
}

/** Sends a request, once more only if a token had to be renewed. */
async function send({ context, execution, request, operation: { startsRun } }: Call): Promise<IN8nHttpFullResponse> {
	const type = credentialType(context);
	const sendWith = async (token?: TokenUse) => {
		const credentialUse: CredentialUse = { address: startsRun ? 'automationUrl' : 'baseUrl', token };
		const options = { ...request, credentialUse, returnFullResponse: true } as IHttpRequestOptions;
		return (await context.helpers.httpRequestWithAuthentication.call(context, type, options)) as IN8nHttpFullResponse;
	};
	if (type !== USER_LOGIN) return await sendWith();
	return await sendWithSharedToken(execution.memory, await context.getCredentials(USER_LOGIN), sendWith);
}

/** Sends a start. Its headers are enough: they may name a thread that is billed, whatever happens to the body. */
async function sendStartRequest(call: Call): Promise<IN8nHttpFullResponse> {
	const { context, execution, request } = call;
	// n8n always sets the time for its client, which is to notice first.
	const idle = request.timeout! + 10_000;
	const left = execution.endsAt - performance.now();
	// What begins when the limit is near is usually over in time.
	const limits = { idle, total: Infinity, workflow: left > 0 ? left : Infinity };
	const watchdog = new Watchdog(limits, execution.stop);
	try {
		const watched = { ...call, context: watchedBy(watchdog, context) };
		const response = await send({ ...watched, request: { ...request, encoding: 'stream' } }).catch((error: Error) => {
			if (watchdog.expired !== 'workflow') throw error;
			throw new FailureError({
				reason: WORKFLOW_LIMIT,
				...POSSIBLE_RUN,
				run: { thread_id: null, status: 'timed_out' },
			});
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

/** Asks once. Of an error of n8n's client, only what happened is kept: it holds the key and the cookies. */
async function sendOnce(call: Call): Promise<SendResult> {
	const { startsRun } = call.operation;
	try {
		const response = startsRun ? await sendStartRequest(call) : await send(call);
		return { response, failure: failureIn(response, call) };
	} catch (error) {
		if (!(error instanceof NodeApiError)) return { failure: failureOf(error as Error, startsRun) };
		const [advice, run] = startsRun ? [noResponseAdvice, POSSIBLE_RUN.run] : [noBaseUrlAdvice];
		return { failure: noResponseFailure(error, advice, run) };
	}
}

/** Milliseconds that a node waits for a busy service that accepts no request. An agent is told instead. */
const MAX_WAIT_MS = 120_000;

/** Whether a busy service may be asked again: it has refused the request, or a second one does no harm. */
function mayResend(
	{ response, failure }: SendResult,
	{ request, operation: { isRepeatable, startsRun } }: Call,
): boolean {
	if (!response || !failure) return false;
	if (startsRun) return failure.busy !== undefined;
	return isBusy(response) || (response.statusCode === 503 && (isRepeatable === true || request.method !== 'POST'));
}

/** Asks, and asks again as long as the service is busy. Throws Failed once the time for that is over. */
async function sendUnlessBusy(call: Call, busy: BusyGate): Promise<SendResult> {
	const { context, execution, operation } = call;
	const { stop, isTool } = execution;
	const patience = isTool ? '' : `. This node waits ${MAX_WAIT_MS / 1000} seconds at most`;
	let refusal: SendResult | undefined;
	for (;;) {
		await busy.wait(stop);
		if (refusal && stop?.aborted) return refusal;
		if (busy.refusal) throw busy.refusal;
		if (operation.startsRun && !refusal) logStart(context, 'requested', context.getItemIndex());
		const answer = await sendOnce(call);
		const { response, failure } = answer;
		if (!mayResend(answer, call)) {
			busy.accept();
			return answer;
		}
		busy.refuse(response!.headers, (endedBy) => new FailureError(withLongerWait(failure!, endedBy, patience)));
		refusal = answer;
	}
}

/** Reads and checks everything that one item asks for, before anything is sent. Throws Failed. */
async function prepared(read: () => Call): Promise<Call> {
	try {
		const call = read();
		await call.operation.prepare?.(call);
		return call;
	} catch (error) {
		// Errors of n8n's own helpers are about the input, such as a missing file.
		const advice = (error as ThrownError).description || 'Nothing was sent. Correct the fields of this node';
		throw error instanceof FailureError ? error : unreadableInput(error as Error, [advice, advice]);
	}
}

/**
 * Does what one item asks for: checks, sends, reads. Throws Failed.
 *
 * @param isFirstTry whether *Retry On Fail* has not tried it before
 */
async function perform(read: () => Call, isFirstTry: boolean) {
	const call = await prepared(read);
	const { execution, operation } = call;
	const busy = busyGate(execution, execution.isTool ? 0 : MAX_WAIT_MS);
	if (!isFirstTry) busy.beginTry();
	const answer = await operation.send?.(call, async () => await sendOnce(call));
	const { response, failure } = answer ?? (await sendUnlessBusy(call, busy));
	if (failure) throw new FailureError(failure);
	return await itemsIn(response!, call);
}

/** What of the chosen credential must not be shown, wherever a server has repeated it. */
async function credentialSecrets(context: IExecuteSingleFunctions, { memory }: Execution): Promise<unknown[]> {
	const type = credentialType(context);
	// Without a credential, nothing was sent.
	const secrets = await context.getCredentials(type).then(secretsIn, () => []);
	return type === USER_LOGIN ? [...secrets, ...tokensInUse(memory)] : secrets;
}

/** The input of the item. For a kind without input, n8n returns an empty object, a new one each time. */
function inputOf(context: IExecuteSingleFunctions): object {
	const kinds = [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool];
	const kind = kinds.find((type) => context.getInputData(0, type) === context.getInputData(0, type));
	return context.getInputData(0, kind).json;
}

/**
 * Performs an operation, unless an earlier try of *Retry On Fail* did: what has succeeded is not requested again, and a start
 * is not repeated either if it may have had an effect.
 *
 * @param read reads the form
 */
async function performOnce(
	ledger: Ledger<INodeExecutionData[]>,
	startsRun: boolean | undefined,
	read: () => Call,
): Promise<INodeExecutionData[]> {
	const earlier = ledger.outcome;
	const performNow = async () => await (ledger.outcome = perform(read, earlier === undefined));
	const performUnlessStarted = async (error: Error) => {
		if (error instanceof FailureError ? error.failure.run : startsRun) throw error;
		return await performNow();
	};
	return await (earlier?.catch(performUnlessStarted) ?? performNow());
}

/** The chosen operation, with all that belongs to it. n8n evaluates no expression in these lists and checks nothing. */
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

/**
 * Executes any operation for one item. n8n means the place where this is called for paging: with the request that the form
 * makes, it returns the items, also one that stands for an error. n8n itself would lose the thread and the input item of an error.
 *
 * @throws NodeApiError or NodeOperationError, unless the node continues on errors
 */
export async function executeOperation(
	context: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const itemIndex = context.getItemIndex();
	const execution = readExecution(context);
	let operation: ChosenOperation | undefined;
	try {
		const chosen = (operation = chosenOperation(context));
		const ledger = ledgerOf<INodeExecutionData[]>(execution, itemIndex, inputOf(context));
		const read = () => readForm(context, execution, chosen, options as IHttpRequestOptions);
		const items = await performOnce(ledger, chosen.startsRun, read);
		// n8n changes the items that it gets; a further try gets them as they were.
		return items.map((item) => ({ ...item, json: { ...item.json }, pairedItem: { item: itemIndex } }));
	} catch (error) {
		const failure = failureOf(error as Error, operation?.startsRun);
		const told = nodeError(execution, failure, itemIndex, await credentialSecrets(context, execution));
		if (!execution.continues) throw told;
		return [errorItem(execution, told, itemIndex, { effect: failure.effect })];
	}
}
