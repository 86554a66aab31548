import type { INodeProperties } from 'n8n-workflow';

import { refused } from '../errors/failure';
import { quoted, readJsonObject, type Field } from '../form/fields';

/** What both nodes offer for the agent of a run; sent unchanged. */
export const agentOptions: INodeProperties[] = [
	{
		displayName: 'Agent: Model',
		name: 'model',
		type: 'string',
		default: '',
		placeholder: 'e.g. large',
		description: 'Name of the model that the agent uses. Leave empty for the default of the service.',
	},
	{
		displayName: 'Agent: Reasoning Effort',
		name: 'reasoningEffort',
		type: 'string',
		default: '',
		placeholder: 'e.g. high',
		description: 'How much the agent thinks before it acts. Leave empty for the default of the service.',
	},
	{
		displayName: 'Agent: Version',
		name: 'version',
		type: 'string',
		default: '',
		placeholder: 'e.g. v2',
		description: 'Version of the automation builder. Leave empty for the one that the service prefers.',
	},
];

/**
 * Reads *Additional Body Fields* of a start: fields of the service that the form does not have. What the form sends itself
 * takes precedence.
 *
 * @throws Failed if it is not a JSON object, or decides whether the run is waited for
 */
export function readBodyFields(field: Field, value: unknown, stored?: unknown): Record<string, unknown> {
	const given = readJsonObject(field, value, stored);
	if (!('detach' in given)) return given;
	throw refused(
		`${quoted(field.displayName)} must not contain "detach"`,
		'The operation decides whether a run continues in the background. Remove this field',
	);
}
