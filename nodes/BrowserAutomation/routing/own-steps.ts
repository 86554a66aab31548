import { findOriginProblem, findPageProblem } from '../../addresses/service-url';
import { quoted, refused } from '../../errors/failure';
import { isUsedAsTool } from '../../execution/execution-context';
import { readRequiredText } from '../../form/read-field';
import { start } from '../resources/automationRun/start';
import { createConnectLink } from '../resources/mailbox/createConnectLink';
import type { Operation } from '../resources/operation';
import { setCookies } from '../resources/profile/setCookies';
import { getSecret } from '../resources/secret/get';
import { getReplay } from '../resources/session/getReplay';
import type { OwnSteps, Read } from './call';
import { getReplaySteps } from './get-replay';
import { setCookiesSteps } from './set-cookies';
import { startSteps } from './start';

const address =
	(findProblem: typeof findPageProblem): Read =>
	(field, value, stored) => {
		const text = readRequiredText(field, value, stored);
		const problem = findProblem(text);
		if (problem) throw refused(`${quoted(field.displayName)} ${problem.reason}`, problem.advice);
		return text;
	};

const createConnectLinkSteps: OwnSteps = {
	reads: {
		successRedirectUri: address(findPageProblem),
		errorRedirectUri: address(findPageProblem),
		allowedOrigin: address(findOriginProblem),
	},
};

const getSecretSteps: OwnSteps = {
	/** Keeps the value of a secret from an AI agent, which could repeat it anywhere, unless the user allows it. */
	prepare({ context, values }) {
		if (!isUsedAsTool(context) || values.allowAgent) return;
		throw refused(
			'This secret is withheld from AI agents',
			"Do the task without it. A person can turn on 'Allow AI Agents to Read the Value' in this tool",
		);
	},
};

/** What cannot be declared, of the operations that need it. */
export const ownSteps = new Map<Operation, OwnSteps>([
	[createConnectLink, createConnectLinkSteps],
	[getReplay, getReplaySteps],
	[getSecret, getSecretSteps],
	[setCookies, setCookiesSteps],
	[start, startSteps],
]);
