import type { IExecuteSingleFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import { Failed, refused } from '../../../errors/failure';
import { isUsedAsTool } from '../../../execution/execution-context';
import { readThreadId } from '../../../form/read-field';
import {
	agentOptions,
	backgroundDescription,
	backgroundNotice,
	readBodyFields,
	readTask,
	taskField,
	threadIdField,
} from '../../../starts/start-fields';
import { NO_RUN, readStart, startFailure } from '../../../starts/response';
import { addBodyFields, additionalBodyFields, sent } from '../../routing/request-fields';
import { API_KEY, credentialType, type Call, type Operation } from '../../routing/operation';

function countItems(context: IExecuteSingleFunctions): number {
	if (context.getNode().executeOnce) return 1;
	const { main, ai_tool: tool } = context.getExecuteData().data;
	return (main ?? tool)?.[0]?.length ?? 1;
}

/**
 * Refuses a start without an API key: the automation builder accepts nothing else. And several input items if the node stops
 * on an error: n8n sends the requests of all items at once, and one failure would lose the thread IDs of the runs that were
 * started and are billed.
 */
function checkStart({ context }: Call): void {
	if (credentialType(context) !== API_KEY) {
		throw refused(
			'Runs are started with an API key, not with a user name and a password',
			`${NO_RUN}. Choose a credential of the type 'Browser Automation API'`,
		);
	}
	const count = countItems(context);
	if (count === 1 || context.continueOnFail()) return;
	throw refused(
		`Received ${count} items. 'Start' accepts only one if 'On Error' is set to 'Stop Workflow'`,
		`${NO_RUN}. Set 'On Error' to 'Continue' in the settings of this node`,
	);
}

/** Refuses a task of which no expression has a value. An AI agent leaves out what it does not need. */
function checkTask({ context, values }: Call): void {
	if (isUsedAsTool(context)) return;
	const evaluate = (expression: string) => context.evaluateExpression(expression, context.getItemIndex());
	readTask(taskField, values[taskField.name], context.getNode().parameters[taskField.name], evaluate);
}

const hasThread = ({ values }: Call): boolean => values[threadIdField.name] !== undefined;

function readStarted(response: IN8nHttpFullResponse, call: Call) {
	const { started, failure } = readStart(response, hasThread(call));
	if (failure) throw new Failed(failure);
	return [{ json: started }];
}

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
	startsRun: true,
	reads: {
		threadId: (...given) => readThreadId(...given) || undefined,
		additionalBodyFields: readBodyFields,
	},
	prepare: (call) => {
		checkStart(call);
		checkTask(call);
		addBodyFields(call);
	},
	explain: (_failure, response, call) => startFailure(response, hasThread(call)),
	read: readStarted,
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
		sent('body', 'query', taskField),
		sent('body', 'thread_id', threadIdField),
	],
	options: [
		additionalBodyFields('e.g. {"priority": "low"}'),
		...agentOptions.map((field) => sent('body', field.name, field)),
	],
};
