// Makers of form fields, the fields that both nodes have, and fields' labels for messages.

import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { OPTIONS, quoted, snakeCase } from '../values/text';

export interface FormField extends INodeProperties {
	/**
	 * The node itself checks the field before anything is sent. n8n's own `required` makes the editor drop all run data if the
	 * field is empty, and earlier nodes run again, billed.
	 */
	isRequired?: true;
	/** The value may have any type: a step of the operation reads it. */
	isRaw?: true;
}

type Details = Omit<Partial<FormField>, 'displayName' | 'name' | 'type'>;

const fieldMaker =
	(type: INodeProperties['type'], initial: INodeProperties['default']) =>
	(displayName: string, name: string, details: Details = {}): FormField => {
		const field = { displayName, name, type, default: initial, ...details };
		const description = `Required. ${field.description?.replace(/\.$/, '')}.`;
		return details.isRequired ? { ...field, description } : field;
	};

export const textField = fieldMaker('string', '');
export const switchField = fieldMaker('boolean', false);
export const numberField = fieldMaker('number', 0);
export const jsonField = fieldMaker('json', '');
export const hiddenField = fieldMaker('hidden', '');
/** The caller sets its default. */
export const choiceField = fieldMaker('options', '');

export const taskField = textField('Task', 'query', {
	isRequired: true,
	typeOptions: { rows: 4 },
	placeholder: 'e.g. Open example.com and find the three cheapest offers',
	description: 'What the agent should do, in plain language',
});

export const threadIdField = textField('Thread ID', 'threadId', {
	placeholder: 'e.g. 8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
	description: 'Thread of an earlier run to continue. Map its thread_id, or paste the thread link.',
	hint: 'Leave empty for a new thread. A fixed ID continues that thread in every execution',
});

/** n8n renders the text as HTML. */
export const notice = (name: string, displayName: string, displayOptions?: IDisplayOptions): INodeProperties =>
	fieldMaker('notice', '')(displayName, name, { displayOptions });

const EACH_ITEM = "Each input item (only the first if 'Execute Once' is on) starts a billed run";

export const waitNotice = `${EACH_ITEM} that takes minutes. 'Stop' does not end it. Pin the output while you build.`;

export const backgroundNotice = `${EACH_ITEM} and returns immediately. Getting the result later, with 'Thread ID' in Run Automation, is another billed run.`;

export const modelFields: INodeProperties[] = [
	textField('Model', 'model', {
		placeholder: 'e.g. large',
		description: 'Model for the agent. Leave empty to use the service default.',
	}),
	textField('Reasoning Effort', 'reasoningEffort', {
		placeholder: 'e.g. high',
		description: 'How much the agent reasons before it acts. Leave empty to use the service default.',
	}),
	textField('Builder Version', 'version', {
		placeholder: 'e.g. v2',
		description: 'Version of the automation builder. Leave empty to use the service default.',
	}),
];

/** n8n's JSON editor has no placeholder for the example. */
export const additionalBodyFields = (example: string): INodeProperties =>
	jsonField('Additional Body Fields', 'additionalBodyFields', {
		default: '{}',
		description: `Extra fields to send, as a JSON object such as ${example}. Fields of this form take precedence.`,
	});

/** The editor adds the entries one by one. */
export const collectionField = (
	displayName: string,
	name: string,
	placeholder: string,
	options: INodeProperties[],
): INodeProperties => ({ displayName, name, type: 'collection', placeholder, default: {}, options });

export const optionsField = (options: INodeProperties[]): INodeProperties =>
	collectionField(OPTIONS, 'options', 'Add Option', options);

export type Field = Pick<
	FormField,
	'displayName' | 'default' | 'isRaw' | 'isRequired' | 'noDataExpression' | 'options' | 'typeOptions'
> & {
	/** The label of an option's group, or of *Options* itself. */
	group?: string;
};

export const optionOf = (option: INodeProperties): INodeProperties & Field => ({ ...option, group: OPTIONS });

/** All fields and options. An option has the label of its group. */
export const fieldsAndOptions = (fields: INodeProperties[]): Array<INodeProperties & Field> =>
	fields.flatMap((field) =>
		field.type === 'collection'
			? (field.options as INodeProperties[]).map((option) => ({
					displayOptions: field.displayOptions,
					...optionOf(option),
				}))
			: field,
	);

export const quotedLabel = ({ displayName, group }: Field): string => quoted(displayName, group);

export const fieldOf = <F extends INodeProperties>(fields: F[], name: string): F =>
	fields.find((field) => field.name === name)!;

/** The keys are the names that the service may use for the fields. */
export const labelsOf = (fields: INodeProperties[]): Record<string, string> =>
	Object.fromEntries(
		fieldsAndOptions(fields).flatMap((field) =>
			[field.name, snakeCase(field.name)].map((key) => [key, quotedLabel(field)]),
		),
	);
