import type { INodeProperties } from 'n8n-workflow';

import {
	DEFAULT_CHUNK_LIMIT,
	DEFAULT_FILES_PROPERTY,
	DEFAULT_IDLE_SECONDS,
	DEFAULT_MAX_MEGABYTES,
	DEFAULT_TOTAL_SECONDS,
} from './run-request';

const waiting = { hide: { '/operation': ['background'] } };
const forResult = { show: { '/operation': ['result'] } };

const options: INodeProperties[] = [
	{
		displayName: 'Also Restart Failed Runs',
		name: 'restartFailed',
		type: 'boolean',
		default: false,
		description:
			'Whether Retry On Fail may start a run again that failed or was aborted. Each start is billed. Other runs are never started again.',
	},
	{
		displayName: 'Chunk Limit',
		name: 'chunkLimit',
		type: 'number',
		displayOptions: { show: { '/operation': ['chunks'] } },
		typeOptions: { minValue: 1 },
		default: DEFAULT_CHUNK_LIMIT,
		description: 'Maximum number of items to return per run. Later chunks are read but not returned.',
	},
	{
		displayName: 'Download Linked Files',
		name: 'downloadLinks',
		type: 'boolean',
		displayOptions: forResult,
		default: false,
		description:
			'Whether to download files that the run returns as links. They are requested without the API key. Files that the run sends directly are always returned as binary data.',
	},
	{
		displayName: 'Idle Timeout',
		name: 'idleTimeout',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_IDLE_SECONDS,
		description: 'Seconds without any data from the service before the connection is closed. Set to 0 for no limit.',
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
				name: 'Throw Error',
				value: 'error',
				description: 'Stop, or continue as set in On Error. The error includes the thread ID and the partial result.',
			},
		],
		default: 'error',
		description: 'What to do if the run fails, stops early, needs an approval, is interrupted, or times out',
	},
	{
		displayName: 'If Text Is Not JSON',
		name: 'ifNotJson',
		type: 'options',
		displayOptions: forResult,
		options: [
			{ name: 'Pass On', value: 'pass', description: 'Return the text unchanged, with a warning' },
			{
				name: 'Throw Error',
				value: 'error',
				description: 'Stop, or continue as set in On Error. The error quotes the text.',
			},
		],
		default: 'error',
		description: 'What to do if Parse Text as JSON finds no JSON, or a required key is missing',
	},
	{
		displayName: 'Live Output',
		name: 'live',
		type: 'multiOptions',
		displayOptions: waiting,
		options: [
			{
				name: 'Progress Data',
				value: 'data',
				description: 'Each data part as it is received, transient ones included',
			},
			{ name: 'Text', value: 'text', description: 'The text while it is written' },
			{ name: 'Tool Steps', value: 'tools', description: 'A line for each tool that the agent uses' },
		],
		default: ['text'],
		description: 'What to stream to a chat or streaming webhook during the run',
	},
	{
		displayName: 'Maximum Response Size',
		name: 'maxResponseSize',
		type: 'number',
		displayOptions: waiting,
		typeOptions: { minValue: 0.001 },
		default: DEFAULT_MAX_MEGABYTES,
		description:
			'Megabytes after which the connection is closed. The partial result is kept. Also the limit for all files together.',
	},
	{
		displayName: 'Maximum Runs',
		name: 'maxRuns',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 20,
		description: 'Refuse to start any run if there are more input items than this. Leave empty for no limit.',
	},
	{
		displayName: 'Model',
		name: 'model',
		type: 'string',
		default: '',
		description: 'Name of the model that the agent uses. Leave empty for the default of the service.',
	},
	{
		displayName: 'Output Data Field Name',
		name: 'filesProperty',
		type: 'string',
		displayOptions: forResult,
		default: DEFAULT_FILES_PROPERTY,
		description: 'Name of the binary fields for the files of a run. Files are numbered, starting with 0.',
	},
	{
		displayName: 'Parse Text as JSON',
		name: 'parseJson',
		type: 'boolean',
		displayOptions: forResult,
		default: true,
		description:
			'Whether to read the text as JSON into the field output, be it bare, in a code fence, or with words around it',
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
		displayName: 'Required Keys',
		name: 'requiredKeys',
		type: 'string',
		displayOptions: forResult,
		default: '',
		placeholder: 'e.g. name, price',
		description: 'Comma-separated keys that the JSON, or each element of its list, must have',
	},
	{
		displayName: 'Runs in Parallel',
		name: 'parallelRuns',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description: 'Maximum number of runs at the same time. Output order matches input order.',
	},
	{
		displayName: 'Split JSON Into Items',
		name: 'splitJson',
		type: 'boolean',
		displayOptions: forResult,
		default: true,
		description: 'Whether to return one item per element if Parse Text as JSON reads a list',
	},
	{
		displayName: 'Total Timeout',
		name: 'totalTimeout',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_TOTAL_SECONDS,
		description: 'Maximum duration of a run in seconds, including downloads. Set to 0 for no limit.',
	},
	{
		displayName: 'Version',
		name: 'version',
		type: 'string',
		default: 'v2',
		placeholder: 'e.g. v2',
		description: 'Version of the automation builder. Leave empty for the one that the service prefers.',
	},
];

/** The form of the node. */
export const fields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: [
			// n8n lists them, and its actions, by name: what most people want comes first.
			{
				name: 'Run and Get Result',
				value: 'result',
				action: 'Run automation and get result',
				description: 'Wait for the text, data, sources, files and tool calls',
			},
			{
				name: 'Run and Get Whole Message',
				value: 'message',
				action: 'Run automation and get whole message',
				description: 'Wait for the message with all parts, as chats use it',
			},
			{
				name: 'Run and List Chunks',
				value: 'chunks',
				action: 'Run automation and list chunks',
				description: 'Wait, and return one item per chunk',
			},
			{
				name: 'Run and List Parts',
				value: 'parts',
				action: 'Run automation and list parts',
				description: 'Wait, and return one item per part of the message',
			},
			{
				name: 'Start in Background',
				value: 'background',
				action: 'Start automation in background',
				description: 'Return the thread ID and link immediately',
			},
		],
		default: 'result',
	},
	{
		displayName: 'Task',
		name: 'query',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. Open example.com, find the three cheapest offers, and list name and price',
		description: 'What the agent should do, in plain language',
	},
	{
		displayName: 'Thread ID',
		name: 'threadId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
		description: 'Continues an earlier run. Map thread_id from that run, or leave empty to start a new thread.',
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		displayOptions: { show: { operation: ['result'] } },
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	},
	{
		displayName:
			'Every start is billed, and sent at most once, even with Retry On Fail. Not covered: <i>Retry</i> in the list of executions, and Retry On Fail on a node that runs this one. Pin the output while you build the next nodes.',
		name: 'startNotice',
		type: 'notice',
		default: '',
	},
];
