import type { IDisplayOptions, INodeProperties, INodePropertyCollection, NodeHint } from 'n8n-workflow';

import { quoted } from '../text';

type Details = Omit<Partial<INodeProperties>, 'displayName' | 'name' | 'type'>;

const fieldMaker =
	(type: INodeProperties['type'], initial: INodeProperties['default']) =>
	(displayName: string, name: string, details: Details = {}): INodeProperties => ({
		displayName,
		name,
		type,
		default: initial,
		...details,
	});

export const textField = fieldMaker('string', '');
export const switchField = fieldMaker('boolean', false);
export const numberField = fieldMaker('number', 0);
/** Every one has a default of its own. */
export const choiceField = fieldMaker('options', '');

export const taskField = textField('Task', 'query', {
	typeOptions: { rows: 4 },
	required: true,
	placeholder: 'e.g. Open example.com and find the three cheapest offers',
	description: 'What the agent should do, in plain language',
});

export const threadIdField = textField('Thread ID', 'threadId', {
	placeholder: 'e.g. 8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
	description: 'Thread of an earlier run to continue. Map its thread_id, or paste the thread link.',
	hint: 'Leave empty to start a new thread',
});

/** A text between the fields of a form, as HTML. */
export const notice = (name: string, displayName: string, displayOptions?: IDisplayOptions): INodeProperties => ({
	displayName,
	name,
	type: 'notice',
	displayOptions,
	default: '',
});

const BILLED = "Each input item starts a separate billed run, unless 'Execute Once' is on";
const PIN = 'Pin the output (press P on the canvas) while you build the next nodes';
const STOP = "'Stop' does not end the run";

// Two sentences each: the cost, and how to avoid paying again.
export const waitNotice = `${BILLED}. ${PIN}; ${STOP}.`;

export const filesNotice = `${BILLED}. ${PIN}; if it contains files, turn off ${quoted('Return as Binary Data', 'Output Files')}; ${STOP}.`;

export const backgroundNotice =
	"Each input item starts a separate billed run and returns immediately. Getting the result later, with 'Thread ID' in Run Automation, is another billed run.";

export const toolNotice =
	"Each call starts a billed run that takes minutes. Set 'Tool Description' to 'Set Manually', and mention this there.";

/** A placeholder for a field that only tools have: n8n before 2.21 does not run a node whose `toolNotice` depends on a missing field. */
export const descriptionTypeField: INodeProperties = {
	displayName: 'Tool Description',
	name: 'descriptionType',
	type: 'hidden',
	displayOptions: { hide: { '@tool': [true] } },
	default: '',
};

/** Shown before the node has run, once its input is known. `when` is the code of a further condition. */
export const itemsHint = (when = 'true'): NodeHint => ({
	message: `${BILLED}.`,
	type: 'warning',
	location: 'outputPane',
	whenToDisplay: 'beforeExecution',
	displayCondition: `={{ ${when} && $input.all().length > 1 }}`,
});

/** The list of operations truncates longer texts. */
export const backgroundDescription = 'Return the run link immediately. Getting the result later is also billed.';

export const builderVersionField = textField('Builder Version', 'version', {
	placeholder: 'e.g. v2',
	description: 'Version of the automation builder. Leave empty to use the service default.',
});

export const reasoningFields: INodeProperties[] = [
	textField('Model', 'model', {
		placeholder: 'e.g. large',
		description: 'Model for the agent. Leave empty to use the service default.',
	}),
	textField('Reasoning Effort', 'reasoningEffort', {
		placeholder: 'e.g. high',
		description: 'How much the agent reasons before it acts. Leave empty to use the service default.',
	}),
];

export const agentOptions = [builderVersionField, ...reasoningFields];

/** The example is in the description: n8n's JSON editor shows no placeholder. */
export const additionalBodyFields = (example: string): INodeProperties => ({
	displayName: 'Additional Body Fields',
	name: 'additionalBodyFields',
	type: 'json',
	default: '{}',
	description: `Extra fields to send, as a JSON object such as ${example}. Fields of this form take precedence.`,
});

export const optionsField = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options,
});

/** What reading a value needs of its field. */
export type Field = Pick<
	INodeProperties,
	'displayName' | 'default' | 'noDataExpression' | 'options' | 'typeOptions'
> & {
	/** The label of its group. */
	group?: string;
};

/** The fields of a group; otherwise, the option itself. */
export const fieldsOf = (option: INodeProperties): Array<INodeProperties & Field> =>
	option.type === 'fixedCollection'
		? (option.options as INodePropertyCollection[]).flatMap(({ values }) =>
				values.map((field) => ({ ...field, group: option.displayName })),
			)
		: [option];
