// The steps of single operations that cannot be declared.

import { FailureError, inputError } from '../../shared/failure/failure';
import { readBodyFields, readThreadId } from '../../shared/form/read-start';
import { readChoice, readRequiredText, type FieldReader } from '../../shared/form/read';
import { start } from '../resources/automationRun';
import { createConnectLink } from '../resources/mailbox';
import { connectWallet } from '../resources/payment';
import type { Operation } from '../resources/operation';
import { setCookies } from '../resources/profile';
import { getSecret } from '../resources/secret';
import { getReplay } from '../resources/session';
import type { OwnSteps } from '../request/request';
import { getReplaySteps } from './get-replay';
import { setCookiesSteps } from './set-cookies';
import { parseUrl } from '../../shared/values/url';
import { quoted } from '../../shared/values/text';

const readPageUrl: FieldReader<string> = (field, value, stored) => {
	const text = readRequiredText(field, value, stored);
	if (/^https?:\/\//i.test(text) && parseUrl(text)) return text;
	const reason = `${quoted(field.displayName)} is not the URL of a page`;
	throw inputError(reason, 'Enter the full URL, such as https://app.example.com/done');
};

/** Browsers send origins in lower case and Punycode, without a default port. */
const readOrigin: FieldReader<string> = (field, value, stored) => {
	const text = readRequiredText(field, value, stored);
	const url = /^https?:\/\/[^/?#@*\\]+\/?$/i.test(text) ? parseUrl(text) : undefined;
	if (url) return url.origin;
	const reason = `${quoted(field.displayName)} is not an origin`;
	throw inputError(reason, 'Enter a URL without a path, such as https://app.example.com');
};

const readsOfLink = { successRedirectUri: readPageUrl, errorRedirectUri: readPageUrl, allowedOrigin: readOrigin };

const getSecretSteps: OwnSteps = {
	reads: { namespace: readChoice },

	/** An agent could repeat the value anywhere. */
	prepare({ execution: { isTool, node } }) {
		if (!isTool || node.parameters.allowAgent === true) return {};
		const advice = "Do the task without it, or ask the user to turn on 'Allow AI Agents to Read Value' in this tool";
		const reason = 'This secret is withheld from AI agents';
		throw new FailureError({ reason, advice, adviceForAgent: advice, cause: 'input', effect: 'none' });
	},
};

const startSteps: OwnSteps = {
	reads: {
		threadId: (...given) => readThreadId(...given) || undefined,
		additionalBodyFields: readBodyFields,
	},
};

/** n8n loads `resources` at its start, so these are not declared there. */
export const ownSteps = new Map<Operation, OwnSteps>([
	[connectWallet, { reads: { mode: readChoice } }],
	[createConnectLink, { reads: readsOfLink }],
	[getReplay, getReplaySteps],
	[getSecret, getSecretSteps],
	[setCookies, setCookiesSteps],
	[start, startSteps],
]);
