import type { NodeHint } from 'n8n-workflow';

const when = (resource: string, operation: string, further = '') =>
	`={{ $parameter["resource"] === "${resource}" && $parameter["operation"] === "${operation}"${further} }}`;

/** Finds an entry in the localStorage of a storage state, in text, and in JSON that was made text once more. */
const HAS_LOCAL_STORAGE = String.raw`/localStorage\W+\[[\s\\nrt]*\{/.test(JSON.stringify($parameter["cookiesJson"] ?? ""))`;

/**
 * What to know about the settings of the node. n8n shows them above an error, too, because a condition cannot see the
 * output of the node: what to do with a result is said in the form instead.
 */
export const hints: NodeHint[] = [
	{
		message: 'Test mode is on. No real money is used.',
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: when('payment', 'connectWallet', ' && $parameter["mode"] === "test"'),
	},
	{
		message: 'Only the cookies of the storage state are sent. The service does not accept localStorage.',
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: when('profile', 'setCookies', ` && $parameter["cookiesFrom"] === "json" && ${HAS_LOCAL_STORAGE}`),
	},
	{
		message:
			'In some versions of n8n, anyone who can open this execution sees the value. <code>{{ $json.value }}</code> works in the next nodes even if the value is hidden here.',
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: when('secret', 'get'),
	},
];
