import type { PreSendAction } from 'n8n-workflow';

import { isUsedAsTool } from '../../../shared/tool-use';
import { refusal } from '../../routing/refusal';

/** Keeps the value of a secret from an AI agent, which could repeat it anywhere, unless the user allows it. */
export const refuseAgent: PreSendAction = async function (request) {
	if (!isUsedAsTool(this) || this.getNodeParameter('allowAgent', false) === true) return request;
	throw refusal(
		this,
		'This secret is withheld from AI agents',
		'Do the task without it. A person can turn on Allow AI Agents to Read the Value in this tool',
	);
};
