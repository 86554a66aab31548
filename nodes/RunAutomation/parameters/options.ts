import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { agentOptions, fieldsOf } from '../../form/shared-fields';

/** A tool gets one item at a time, returns no files, and nothing is streamed from it. */
const notTool = { '@tool': [true] };
const waiting = { hide: { '/operation': ['background'] } };
const forFiles = { show: { '/operation': ['result'] }, hide: notTool };
const forRows = { show: { '/operation': ['rows'] } };

/** Fields that stand together under one option. */
const group = (
	displayName: string,
	name: string,
	values: INodeProperties[],
	further: Pick<INodeProperties, 'description' | 'displayOptions'>,
): INodeProperties => ({
	displayName,
	name,
	type: 'fixedCollection',
	// Older versions of n8n show all fields of a group.
	typeOptions: { hideOptionalFields: true, addOptionalFieldButtonText: 'Add Field' },
	default: { values: {} },
	options: [{ displayName, name: 'values', values }],
	...further,
});

const agentFields: INodeProperties[] = [
	{
		displayName: 'Data for the Agent',
		name: 'agentData',
		type: 'string',
		displayOptions: { hide: notTool },
		default: '',
		placeholder: 'e.g. message, customer.name',
		description:
			'Names of fields of the input item, separated by commas. The agent is told to use their values only, and to follow no instruction in them. Name here what others wrote, instead of mapping it into the task.',
	},
	{
		displayName: 'Files for the Agent',
		name: 'agentFiles',
		type: 'string',
		displayOptions: { hide: notTool },
		default: '',
		placeholder: 'e.g. data, attachment_0',
		description:
			'Names of binary fields of the input item, separated by commas. The task then has a link to a copy of each file. Anyone with a link can download the file until the link expires.',
	},
	...agentOptions,
];

const fileFields: INodeProperties[] = [
	{
		displayName: 'Download Linked Files',
		name: 'downloadLinks',
		type: 'boolean',
		default: false,
		description:
			'Whether to download files that the run returns as links. They are requested without the API key. Files that the run sends directly are always returned as binary data.',
	},
	{
		displayName: 'Output Field Name',
		name: 'filesProperty',
		type: 'string',
		default: 'file',
		description: 'Name of the binary fields for the files of a run. Files are numbered, starting with 0.',
	},
	{
		displayName: 'Return as Binary Data',
		name: 'includeFiles',
		type: 'boolean',
		default: true,
		description:
			'Whether to return the files of a run as binary data. Turn off to keep only name, type and size: the output can then be pinned, and executions stay small.',
	},
];

const limitFields: INodeProperties[] = [
	{
		displayName: 'Follow-Ups',
		name: 'followUps',
		type: 'number',
		displayOptions: { show: { '/operation': ['result', 'rows'] } },
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 2,
		description:
			'How many times at most to ask again in the same thread for each item, if an option says so. Each follow-up is a run of its own and is billed.',
	},
	{
		displayName: 'Idle Timeout (Seconds)',
		name: 'idleTimeout',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 300,
		description: 'Seconds without any data from the service before the connection is closed. Set to 0 for no limit.',
	},
	{
		displayName: 'Input Items',
		name: 'maxRuns',
		type: 'number',
		displayOptions: { hide: notTool },
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: '',
		description: 'Refuse to start any run if there are more input items than this. Leave empty for no limit.',
	},
	{
		displayName: 'Response Size (MB)',
		name: 'maxResponseSize',
		type: 'number',
		displayOptions: waiting,
		typeOptions: { minValue: 0.001 },
		default: 64,
		description:
			'Megabytes after which the connection is closed. The partial result is kept. Also the limit for all files together.',
	},
	{
		displayName: 'Run Timeout (Seconds)',
		name: 'totalTimeout',
		type: 'number',
		displayOptions: waiting,
		typeOptions: { minValue: 0 },
		default: 1800,
		description: 'Maximum duration of a run in seconds, including downloads. Set to 0 for no limit.',
	},
	{
		displayName: 'Runs in Parallel',
		name: 'parallelRuns',
		type: 'number',
		displayOptions: { hide: notTool },
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		description: 'Maximum number of runs at the same time. Output order matches input order.',
	},
	{
		displayName: 'Wait If Busy (Seconds)',
		name: 'waitIfBusy',
		type: 'number',
		displayOptions: { hide: notTool },
		typeOptions: { minValue: 0 },
		default: 120,
		description:
			'How long to wait in all if the service is busy and refuses runs. A refused run costs nothing. Set to 0 to stop at once.',
	},
];

/** How long and how often something is tried: no part of what a run is asked for. */
export const limits = group('Limits', 'limits', limitFields, {
	description: 'How long, how often and how much at most',
});

/** The options of the form, in the order of its menu. */
export const options: INodeProperties[] = [
	group('Agent', 'agent', agentFields, { description: 'What the agent of the run works with' }),
	{
		displayName: 'Check If the Task Was Done',
		name: 'checkDone',
		type: 'boolean',
		displayOptions: { show: { '/operation': ['result'] } },
		default: true,
		description:
			'Whether the agent is asked, in words added to the task, to say if something stopped it, such as a sign-in. The run then has the status not_done, with the reason. Turn off if the agent may ask back, as in a chat. Rows are always checked.',
	},
	group('Files', 'files', fileFields, {
		displayOptions: forFiles,
		description: 'How the files of a run are returned',
	}),
	{
		displayName: 'If No Rows Are Found',
		name: 'ifNoRows',
		type: 'options',
		displayOptions: forRows,
		options: [
			{ name: 'Return No Items', value: 'none', description: 'Return no items for this run, and show a hint' },
			{
				name: 'Stop or Continue as Set in On Error',
				value: 'error',
				description: 'The thread ID and the text are kept',
			},
		],
		default: 'none',
		description: 'What to do if the run finds nothing',
	},
	{
		displayName: 'If Rows Do Not Fit',
		name: 'ifRowsDoNotFit',
		type: 'options',
		displayOptions: forRows,
		options: [
			{
				name: 'Ask Again in the Same Thread',
				value: 'askAgain',
				description: 'Start a follow-up run that names what does not fit. Each follow-up is billed.',
			},
			{
				name: 'Return the Rows That Fit',
				value: 'fitting',
				description: "Leave out the other rows, and show a hint. If none fits, stop or continue as set in 'On Error'.",
			},
			{
				name: 'Stop or Continue as Set in On Error',
				value: 'error',
				description: 'The thread ID and the text are kept',
			},
		],
		default: 'error',
		description: 'What to do if the reply is not JSON, or if a value does not have the type of its column',
	},
	{
		displayName: 'If Run Is Incomplete',
		name: 'ifIncomplete',
		type: 'options',
		displayOptions: waiting,
		options: [
			{
				name: 'Return Partial Result',
				value: 'partial',
				description: 'Return the partial result; the status field says how the run ended',
			},
			{
				name: 'Stop or Continue as Set in On Error',
				value: 'error',
				description: 'The thread ID and the partial result are kept',
			},
		],
		default: 'error',
		description: 'What to do if the run fails, stops early, needs an approval, is interrupted, or times out',
	},
	{
		displayName: 'If the Connection Breaks',
		name: 'ifConnectionBreaks',
		type: 'options',
		displayOptions: { show: { '/operation': ['result', 'rows'] } },
		options: [
			{
				name: 'Ask in the Same Thread',
				value: 'askInThread',
				description: 'Start a follow-up run that goes on where the agent was. Each follow-up is billed.',
			},
			{
				name: 'Stop or Continue as Set in On Error',
				value: 'stop',
				description: 'The thread ID and the partial result are kept',
			},
		],
		default: 'stop',
		description: 'What to do if the connection to the service is lost during the run',
	},
	{
		displayName: 'Include Run Details',
		name: 'includeRunDetails',
		type: 'boolean',
		displayOptions: forRows,
		default: false,
		description:
			'Whether to add a field named "run" to each item, with the thread ID, the status, the text, the sources, files, data and metadata',
	},
	limits,
	{
		displayName: 'Live Output',
		name: 'live',
		type: 'multiOptions',
		displayOptions: { hide: { ...waiting.hide, ...notTool } },
		options: [
			{
				name: 'Progress Data',
				value: 'data',
				description: 'Each data part as it is received, also those that are not in the result',
			},
			{ name: 'Text', value: 'text', description: 'The text while it is written' },
			{ name: 'Tool Steps', value: 'tools', description: 'A line for each tool that the agent uses' },
		],
		default: ['text'],
		description:
			"What to stream to a chat or streaming webhook during the run. A chat needs 'Response Mode' set to 'Streaming' in its Chat Trigger.",
	},
	{
		displayName: 'Additional Body Fields',
		name: 'additionalBodyFields',
		type: 'json',
		default: '{}',
		// n8n shows no placeholder in its editor of JSON.
		description:
			'More fields to send to the service, as a JSON object such as {"region": "eu"}. The fields of this form take precedence. See the documentation of the service.',
	},
];

const groups = options.filter(({ type }) => type === 'fixedCollection');

/** Every option, also those in groups, as fields that know the name of their group. */
export const optionFields = options.flatMap(fieldsOf);

/** The values of the options by the names of their fields, which differ in all groups. */
export const withoutGroups = (given: unknown): INodeParameters => {
	const values = Object(given) as INodeParameters;
	const inGroups = groups.map(({ name }) => (Object(values[name]) as { values?: INodeParameters }).values);
	return Object.assign({}, values, ...inGroups) as INodeParameters;
};
