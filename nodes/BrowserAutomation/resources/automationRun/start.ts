import {
	NodeConnectionTypes,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type INodeProperties,
} from 'n8n-workflow';

import { asMade, isMadeHere, isNodeError, runOf } from '../../../errors/node-error';
import { findThreadIdProblem } from '../../../inputs/thread-id';
import { startMemory, startOnce } from '../../../starts/memory';
import { noResponseAdvice, readOutcome, threadIdIn } from '../../../starts/outcome';
import { optionalText, readField, refuse, requiredText, sendChanged } from '../../routing/fields';
import type { Operation } from '../../routing/operation';
import { errorOf, isSuccess, returnItems, toObject } from '../../routing/read-response';
import { API_KEY, credentialType, sendOnce, toReader } from '../../routing/send-request';

/** Refuses a start without an API key: the automation builder accepts nothing else. */
async function requireApiKey(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	if (credentialType(this) === API_KEY) return request;
	throw refuse(
		this,
		'Runs are started with an API key, not with a user name and a password',
		'Choose a credential of the type Browser Automation API',
	);
}

/**
 * Refuses several input items if the node stops on an error: n8n sends the requests of all items at once, and one failure
 * would lose the thread IDs of the runs that were started and are billed.
 */
async function refuseSeveralItems(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const count = countItems(this);
	if (count > 1 && !this.continueOnFail()) {
		throw refuse(
			this,
			`Received ${count} items. Start accepts only one if On Error is set to Stop Workflow`,
			'No run was started. Set On Error to Continue in the settings of this node',
		);
	}
	return request;
}

function countItems(context: IExecuteSingleFunctions): number {
	if (context.getNode().executeOnce) return 1;
	const { main, ai_tool: tool } = context.getExecuteData().data;
	return (main ?? tool)?.[0]?.length ?? 1;
}

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
const sendStart = toReader(async function (
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const attempt = async (): Promise<Outcome> =>
		await send.call(this, request).then(
			(items) => ({ items }),
			(error: Error) => ({ error }),
		);
	const memory = startMemory<Outcome>(this, this.getItemIndex(), inputOf(this));
	const { items, error } = await startOnce(memory, attempt, surelyHadNoEffect);
	if (items) return items;
	throw isNodeError(error) ? asMade(error) : error;
});

/** The first step of reading every response to a start. If an error names a thread, its ID is kept: a run may have started. */
async function throwStartError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(response)) return items;
	const { statusCode, headers, body } = response;
	const hasThread = this.getNodeParameter('threadId', '') !== '';
	const { advice, run } = readOutcome(statusCode, threadIdIn(headers, body), hasThread);
	throw await errorOf(this, { ...response, advice }, { run });
}

/** Takes the thread ID from the header if the body has none: without it a run that is billed is lost. */
async function keepThreadId(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	{ body, headers }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const threadId = threadIdIn(headers, body);
	return [{ json: { ...toObject(body), ...(threadId === undefined ? {} : { thread_id: threadId }) } }];
}

const threadIdField: INodeProperties = {
	displayName: 'Thread ID',
	name: 'threadId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
	description: 'Continues an earlier run. Map thread_id from that run.',
	hint: 'Leave empty to start a new thread',
};

export const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start automation run',
	description: 'Start or continue a run in the background. To get its result, use the node Run Automation.',
	builderHint: {
		propertyHint:
			'Each item starts a billed run that takes minutes. Returns thread_id, url and status "started" at once, never the result. To get the result, use the node Run Automation, also for a thread started here (Thread ID).',
	},
	routing: {
		request: { method: 'POST', url: '/api/anything/start', body: { detach: true } },
		send: { preSend: [requireApiKey, refuseSeveralItems] },
		operations: { pagination: sendStart },
		output: { postReceive: [throwStartError, keepThreadId, returnItems] },
	},
	fields: [
		{
			displayName:
				'Every start is billed. <i>Retry On Fail</i> of this node does not repeat it. Pin the output while you build the next nodes.',
			name: 'startNotice',
			type: 'notice',
			default: '',
			displayOptions: { hide: { authentication: ['oAuth2Password'] } },
		},
		{
			displayName:
				'Runs are started with an API key. Choose a credential of the type <i>Browser Automation API</i> above.',
			name: 'apiKeyNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { authentication: ['oAuth2Password'] } },
		},
		requiredText('body', 'query', {
			displayName: 'Task',
			name: 'query',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. Open example.com and find the three cheapest offers',
			description: 'What the agent should do, in plain language',
		}),
		sendChanged('body', 'thread_id', threadIdField, (context, value) => {
			const threadId = readField(context, value, threadIdField);
			const found = threadId === '' ? undefined : findThreadIdProblem(threadId);
			if (found) throw refuse(context, found.problem, found.advice);
			return threadId || undefined;
		}),
	],
	options: [
		optionalText('model', {
			displayName: 'Model',
			name: 'model',
			type: 'string',
			default: '',
			description: 'Name of the model that the agent uses. Leave empty for the default of the service.',
		}),
		optionalText('reasoningEffort', {
			displayName: 'Reasoning Effort',
			name: 'reasoningEffort',
			type: 'string',
			default: '',
			placeholder: 'e.g. high',
			description: 'How much the agent thinks before it acts. Leave empty for the default of the service.',
		}),
		optionalText('version', {
			displayName: 'Version',
			name: 'version',
			type: 'string',
			default: 'v2',
			placeholder: 'e.g. v2',
			description: 'Version of the automation builder. Leave empty for the one that the service prefers.',
		}),
	],
};
