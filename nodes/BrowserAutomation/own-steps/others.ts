// The own steps of operations that need only a few lines.

import { FailureError, inputError } from '../../shared/failure/failure';
import { readBodyFields, readThreadId } from '../../shared/form/read-start';
import { readChoice, readRequiredText, type FieldReader } from '../../shared/form/read';
import { quoted } from '../../shared/values/text';
import { parseUrl } from '../../shared/values/url';
import type { OwnSteps } from '../request/request';

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

export const connectLinkSteps: OwnSteps = {
	reads: { successRedirectUri: readPageUrl, errorRedirectUri: readPageUrl, allowedOrigin: readOrigin },
};

export const connectWalletSteps: OwnSteps = { reads: { mode: readChoice } };

export const getSecretSteps: OwnSteps = {
	reads: { namespace: readChoice },

	/** An agent could repeat the value anywhere. */
	prepare({ execution: { isTool, node } }) {
		if (!isTool || node.parameters.allowAgent === true) return {};
		const advice = "Do the task without it, or ask the user to turn on 'Allow AI Agents to Read Value' in this tool";
		const reason = 'This secret is withheld from AI agents';
		throw new FailureError({ reason, advice, adviceForAgent: advice, cause: 'input', effect: 'none' });
	},
};

export const startSteps: OwnSteps = {
	reads: {
		threadId: (...given) => readThreadId(...given) || undefined,
		additionalBodyFields: readBodyFields,
	},
};
