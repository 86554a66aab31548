import type { INodeProperties, INodePropertyCollection, NodeHint } from 'n8n-workflow';

import { quoted } from '../values';
import type { Field } from './read-field';

export const taskField: INodeProperties = {
	displayName: 'Task',
	name: 'query',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	required: true,
	placeholder: 'e.g. Open example.com and find the three cheapest offers',
	description: 'What the agent should do, in plain language',
};

export const threadIdField: INodeProperties = {
	displayName: 'Thread ID',
	name: 'threadId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
	description: 'Continues an earlier run. Map thread_id from that run, or paste the link of its thread.',
	hint: 'Leave empty to start a new thread',
};

const BILLED = "Each input item starts its own paid run, unless 'Execute Once' is set";
const PIN = 'Pin the output while you build the next nodes';

// Two sentences each: what it costs, and how not to pay for it again.
export const waitNotice = `${BILLED}. ${PIN}.`;

export const filesNotice = `${BILLED}. ${PIN}; if it has files, turn off ${quoted('Return as Binary Data', 'Files')}.`;

export const backgroundNotice =
	"Each input item starts its own paid run and returns at once. Asking for the result later, with 'Thread ID' in Run Automation, is another paid run.";

export const toolNotice =
	"Each call starts a paid run that takes minutes. Set 'Tool Description' to 'Set Manually', and say so there.";

/**
 * What n8n shows before the node has run, once it knows its input.
 *
 * @param when a further condition, as the code of an expression
 */
export const itemsHint = (when = 'true'): NodeHint => ({
	message: `${BILLED}.`,
	type: 'warning',
	location: 'outputPane',
	whenToDisplay: 'beforeExecution',
	displayCondition: `={{ ${when} && $input.all().length > 1 }}`,
});

/** Short enough for the list of operations, which cuts off what is longer. */
export const backgroundDescription = 'Return the link of the run at once. Getting its result later is billed, too.';

/** What both nodes offer for the agent of a run; sent unchanged. */
export const agentOptions: INodeProperties[] = [
	{
		displayName: 'Model',
		name: 'model',
		type: 'string',
		default: '',
		placeholder: 'e.g. large',
		description: 'Name of the model that the agent uses. Leave empty for the default of the service.',
	},
	{
		displayName: 'Reasoning Effort',
		name: 'reasoningEffort',
		type: 'string',
		default: '',
		placeholder: 'e.g. high',
		description: 'How much the agent thinks before it acts. Leave empty for the default of the service.',
	},
	{
		displayName: 'Version',
		name: 'version',
		type: 'string',
		default: '',
		placeholder: 'e.g. v2',
		description: 'Version of the automation builder. Leave empty for the one that the service prefers.',
	},
];

/** The collection of optional fields at the end of a form. */
export const optionsField = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options,
});

/** The fields that stand under an option which is a group; else the option itself. */
export const fieldsOf = (option: INodeProperties): Array<INodeProperties & Field> =>
	option.type === 'fixedCollection'
		? (option.options as INodePropertyCollection[]).flatMap(({ values }) =>
				values.map((field) => ({ ...field, group: option.displayName })),
			)
		: [option];
