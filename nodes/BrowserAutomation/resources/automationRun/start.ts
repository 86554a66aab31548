import {
	NodeConnectionTypes,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type INodeExecutionData,
	type PostReceiveAction,
	type PreSendAction,
} from 'n8n-workflow';

import { Failed, refused } from '../../../errors/failure';
import { readThreadId } from '../../../form/read-field';
import {
	agentOptions,
	backgroundDescription,
	backgroundNotice,
	readBodyFields,
	taskField,
	threadIdField,
} from '../../../starts/start-fields';
import { startMemory } from '../../../starts/start-memory';
import { noResponseAdvice, startFailure, threadIdIn } from '../../../starts/response';
import { additionalBodyFields, optionalText, requiredText, sent } from '../../routing/request-fields';
import type { Operation } from '../../routing/operation';
import { toObject, type Explain } from '../../routing/read-response';
import { API_KEY, credentialType, sendOnce, type Send } from '../../routing/send-request';

/** Refuses a start without an API key: the automation builder accepts nothing else. */
const requireApiKey: PreSendAction = async function (request) {
	if (credentialType(this) === API_KEY) return request;
	throw refused(
		'Runs are started with an API key, not with a user name and a password',
		"No run was started. Choose a credential of the type 'Browser Automation API'",
	);
};

/**
 * Refuses several input items if the node stops on an error: n8n sends the requests of all items at once, and one failure
 * would lose the thread IDs of the runs that were started and are billed.
 */
const refuseSeveralItems: PreSendAction = async function (request) {
	const count = countItems(this);
	if (count === 1 || this.continueOnFail()) return request;
	throw refused(
		`Received ${count} items. 'Start' accepts only one if 'On Error' is set to 'Stop Workflow'`,
		"No run was started. Set 'On Error' to 'Continue' in the settings of this node",
	);
};

function countItems(context: IExecuteSingleFunctions): number {
	if (context.getNode().executeOnce) return 1;
	const { main, ai_tool: tool } = context.getExecuteData().data;
	return (main ?? tool)?.[0]?.length ?? 1;
}

const sendStart = sendOnce({
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

const NO_RUN = 'No run was started';

const mayHaveStarted = (error: unknown): boolean => !(error instanceof Failed) || error.failure.run !== undefined;

/** Sends a start at most once for an item of an execution, also if n8n tries the node again. */
const startAtMostOnce: Send = async function (request) {
	const { recall, remember } = startMemory<INodeExecutionData[]>(this, this.getItemIndex(), inputOf(this));
	const startNow = async () => {
		const started = sendStart.call(this, request).catch((error: Error) => {
			if (mayHaveStarted(error)) throw error;
			const { failure } = error as Failed;
			const advice = failure.advice.startsWith(NO_RUN) ? failure.advice : `${NO_RUN}. ${failure.advice}`;
			throw new Failed({ ...failure, advice });
		});
		remember(started);
		return await started;
	};
	const startUnlessStarted = async (error: Error) => {
		if (mayHaveStarted(error)) throw error;
		return await startNow();
	};
	return await (recall()?.catch(startUnlessStarted) ?? startNow());
};

/** If the response names a thread, its ID is kept: a run may have started. */
const explainStart: Explain = (context, _failure, response) => {
	const hasThread = context.getNodeParameter('threadId', '') !== '';
	return startFailure(response, threadIdIn(response.headers, response.body), hasThread);
};

/** Takes the thread ID from the header if the body has none: without it a run that is billed is lost. */
const keepThreadId: PostReceiveAction = async function (_items, { body, headers }) {
	const threadId = threadIdIn(headers, body);
	return [{ json: { ...toObject(body), ...(threadId === undefined ? {} : { thread_id: threadId }) } }];
};

export const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start automation run in background',
	description: backgroundDescription,
	builderHint: {
		propertyHint:
			'Each item starts a billed run that takes minutes. Returns thread_id, url and status "started" at once, never the result. To get the result, use the node Run Automation, also for a thread started here (Thread ID).',
	},
	request: { method: 'POST', url: '/api/anything/start', body: { detach: true } },
	checks: [requireApiKey, refuseSeveralItems],
	send: startAtMostOnce,
	explain: explainStart,
	read: [keepThreadId],
	fields: [
		{
			displayName: backgroundNotice("'Start in Background' of Run Automation"),
			name: 'startNotice',
			type: 'notice',
			default: '',
			displayOptions: { hide: { authentication: ['oAuth2Password'] } },
		},
		{
			displayName: "Runs are started with an API key. Choose a credential of the type 'Browser Automation API' above.",
			name: 'apiKeyNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { authentication: ['oAuth2Password'] } },
		},
		requiredText('body', 'query', taskField),
		sent('body', 'thread_id', threadIdField, (...given) => readThreadId(...given) || undefined),
	],
	options: [
		additionalBodyFields('e.g. {"priority": "low"}', readBodyFields),
		...agentOptions.map((field) => optionalText(field.name, field)),
	],
};
