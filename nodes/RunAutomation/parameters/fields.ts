import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_IDLE_SECONDS, DEFAULT_TOTAL_SECONDS } from './run-request';

const waiting = { show: { '/mode': ['wait'] } };

const options: INodeProperties[] = [
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
		displayName: 'Model',
		name: 'model',
		type: 'string',
		default: '',
		description: 'Name of the model that the agent uses. Leave empty for the default of the service.',
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		displayOptions: waiting,
		options: [
			{
				name: 'Message',
				value: 'message',
				description: 'The whole message with all its parts, as chat interfaces use it',
			},
			{
				name: 'Simplified',
				value: 'simplified',
				description: 'Text, data, sources, files and tool calls of the run',
			},
		],
		default: 'simplified',
		description: 'What to put out for each run',
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
		default: '',
		placeholder: 'e.g. v2',
		description: 'Version of the automation builder. Leave empty for the one that the service prefers.',
	},
];

/** The form of the node (contract, section 2.3, and how the stream is read). */
export const fields: INodeProperties[] = [
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
		displayName: 'Mode',
		name: 'mode',
		type: 'options',
		options: [
			{
				name: 'Start in Background',
				value: 'background',
				description: 'Start the run and go on at once with its thread ID and link',
			},
			{
				name: 'Wait for Result',
				value: 'wait',
				description: 'Follow the run while it works and put out its result; takes minutes',
			},
		],
		default: 'wait',
		description: 'Whether to wait for the result of the run',
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
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	},
];
