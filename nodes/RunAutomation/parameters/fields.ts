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
		description: 'Most items that one run gives. What comes after them is read, but not put out.',
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
		description:
			'Seconds to wait for a sign of life of the service before the connection is closed. Every byte counts. 0 means no limit.',
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
				description: 'Put out what arrived; the status tells how the run ended',
			},
			{
				name: 'Throw Error',
				value: 'error',
				description: 'Stop here, or go on as set in On Error; the thread ID and what arrived are in the error',
			},
		],
		default: 'error',
		description: 'What to do when the run failed, was aborted, cut off, or took too long',
	},
	{
		displayName: 'If Text Is Not JSON',
		name: 'ifNotJson',
		type: 'options',
		displayOptions: forResult,
		options: [
			{ name: 'Pass On', value: 'pass', description: 'Put the text out as it is, with a warning' },
			{
				name: 'Throw Error',
				value: 'error',
				description: 'Stop here, or go on as set in On Error; the error quotes the text',
			},
		],
		default: 'error',
		description: 'What to do when Parse Text as JSON finds no JSON, or a required key is missing',
	},
	{
		displayName: 'Live Output',
		name: 'live',
		type: 'multiOptions',
		displayOptions: waiting,
		options: [
			{ name: 'Progress Data', value: 'data', description: 'Each data part as it comes, transient ones included' },
			{ name: 'Text', value: 'text', description: 'The text while it is written' },
			{ name: 'Tool Steps', value: 'tools', description: 'A line for each tool that the agent uses' },
		],
		default: ['text'],
		description: 'What to send on while the run goes on, where a chat or a webhook in streaming mode waits for it',
	},
	{
		displayName: 'Maximum Response Size',
		name: 'maxResponseSize',
		type: 'number',
		displayOptions: waiting,
		typeOptions: { minValue: 0.001 },
		default: DEFAULT_MAX_MEGABYTES,
		description:
			'Megabytes of the stream after which the connection is closed; what arrived is kept. Also the limit for all downloaded files together.',
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
		description: 'How many runs may go on at a time when there are several input items. Items keep their order.',
	},
	{
		displayName: 'Split JSON Into Items',
		name: 'splitJson',
		type: 'boolean',
		displayOptions: forResult,
		default: true,
		description: 'Whether to put out one item for each element where Parse Text as JSON reads a list',
	},
	{
		displayName: 'Total Timeout',
		name: 'totalTimeout',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_TOTAL_SECONDS,
		description: 'Seconds that the whole run may take before the connection is closed. 0 means no limit.',
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

/** The form of the node (contract, section 2.3, and how the stream is read). */
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
				description: 'Wait, and put out an item for each chunk received',
			},
			{
				name: 'Run and List Parts',
				value: 'parts',
				action: 'Run automation and list parts',
				description: 'Wait, and put out an item for each part of the message',
			},
			{
				name: 'Start in Background',
				value: 'background',
				action: 'Start automation in background',
				description: 'Go on at once with the thread ID and link of the run',
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
		description: 'What the agent is to do on the web, in plain words',
	},
	{
		displayName: 'Thread ID',
		name: 'threadId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 8f14e45f-ceea-467f-9575-6f4b2a1f0c3d',
		description:
			'Continues an earlier run: take it from the thread_id that an earlier run put out. Leave empty to start a new thread.',
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
			'Every start is billed. To keep completed runs when one of several fails, set On Error to Continue (using error output). Pin the output while you build the next nodes.',
		name: 'retryNotice',
		type: 'notice',
		default: '',
	},
];
