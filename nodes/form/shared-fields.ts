import type { INodeProperties } from 'n8n-workflow';

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

const BILLED =
	"Each run costs money. 'Retry On Fail' of this node does not start it again, and 'Stop' does not end it at the service.";
const PIN = 'Pin the output while you build the next nodes';

export const waitNotice = `${BILLED} ${PIN}.`;

export const filesNotice = `${BILLED} ${PIN}. To pin a result with files, turn off 'Return as Binary Data' under 'Files'.`;

/** @param twin the operation of the other node that does the same */
export const backgroundNotice = (twin: string): string =>
	`${BILLED} A run takes minutes. To get its result, use Run Automation later, with thread_id as its 'Thread ID' and the task: Return the result. That is a run, too, and costs money. ${PIN}. ${twin} does the same.`;

export const toolNotice =
	"Each run costs money and takes minutes. Set 'Tool Description' to 'Set Manually' and say so in the description of this tool, so that the agent does not call it needlessly.";

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
