import { FailureError, inputError } from '../../shared/failure';
import { readBodyFields, readChoice, readRequiredText, readTask, readThreadId } from '../../shared/form/read';
import { taskField, threadIdField } from '../../shared/form/fields';
import { readStart, startFailure } from '../../shared/start-response';
import { API_KEY } from '../resources';
import { start } from '../resources/automationRun';
import { createConnectLink } from '../resources/mailbox';
import { connectWallet } from '../resources/payment';
import type { Operation } from '../resources/operation';
import { setCookies } from '../resources/profile';
import { getSecret } from '../resources/secret';
import { getReplay } from '../resources/session';
import { credentialType, type Call, type OwnSteps, type ReadField } from './call';
import { getReplaySteps } from './get-replay';
import { setCookiesSteps } from './set-cookies';
import { parseUrl } from '../../shared/url';
import { quoted } from '../../shared/text';

const readPageUrl: ReadField = (field, value, stored) => {
	const text = readRequiredText(field, value, stored);
	if (/^https?:\/\//i.test(text) && parseUrl(text)) return text;
	const reason = `${quoted(field.displayName)} is not the URL of a page`;
	throw inputError(reason, 'Enter the full URL, such as https://app.example.com/done');
};

/** As browsers send it: in lower case, without a default port, in Punycode. */
const readOrigin: ReadField = (field, value, stored) => {
	const text = readRequiredText(field, value, stored);
	const url = /^https?:\/\/[^/?#@*\\]+\/?$/i.test(text) ? parseUrl(text) : undefined;
	if (url) return url.origin;
	const reason = `${quoted(field.displayName)} is not an origin`;
	throw inputError(reason, 'Enter a URL without a path, such as https://app.example.com');
};

const createConnectLinkSteps: OwnSteps = {
	reads: { successRedirectUri: readPageUrl, errorRedirectUri: readPageUrl, allowedOrigin: readOrigin },
};

const getSecretSteps: OwnSteps = {
	reads: { namespace: readChoice },

	/** An agent could repeat the value anywhere. */
	prepare({ execution: { isTool, node } }) {
		if (!isTool || node.parameters.allowAgent === true) return;
		const advice = "Do the task without it, or ask the user to turn on 'Allow AI Agents to Read Value' in this tool";
		const reason = 'This secret is withheld from AI agents';
		throw new FailureError({ reason, advice, adviceForAgent: advice, cause: 'input' });
	},
};

/** Each call of a tool is one item. Older agents show their own input there. */
function countItems({ context, execution: { node, isTool } }: Call): number {
	if (node.executeOnce || isTool) return 1;
	return context.getExecuteData().data.main?.[0]?.length ?? 0;
}

/** An AI agent leaves out values that it does not need. */
function checkTask({ context, execution: { node, isTool }, values }: Call): void {
	if (isTool) return;
	const evaluate = (expression: string) => context.evaluateExpression(expression, context.getItemIndex());
	readTask(taskField, values[taskField.name], node.parameters[taskField.name], evaluate);
}

export const requestedThread = ({ values }: Call) => values[threadIdField.name] as string | undefined;

const startSteps: OwnSteps = {
	reads: {
		threadId: (...given) => readThreadId(...given) || undefined,
		additionalBodyFields: readBodyFields,
	},

	/** n8n sends all items together: if one stopped the node, the thread IDs of the others, which are billed, would be lost. */
	prepare(call) {
		if (credentialType(call.context) !== API_KEY) {
			throw inputError(
				'Runs are started with an API key, not with a user name and a password',
				"Select a 'Browser Automation API' credential in this node",
			);
		}
		const count = countItems(call);
		if (count > 1 && !call.execution.continues) {
			throw inputError(
				`Received ${count} items. 'Start' accepts only one if 'On Error' is set to 'Stop Workflow'`,
				"Set 'On Error' to 'Continue' in the settings of this node",
			);
		}
		checkTask(call);
	},

	explain: (_failure, response, call) => startFailure(response, requestedThread(call)),

	read: (response, call) => [{ json: readStart(response, requestedThread(call)) }],
};

export const ownSteps = new Map<Operation, OwnSteps>([
	[connectWallet, { reads: { mode: readChoice } }],
	[createConnectLink, createConnectLinkSteps],
	[getReplay, getReplaySteps],
	[getSecret, getSecretSteps],
	[setCookies, setCookiesSteps],
	[start, startSteps],
]);
