// The options of Run Automation.

import type { INodeProperties } from 'n8n-workflow';

import {
	additionalBodyFields,
	choiceField,
	modelFields,
	numberField,
	optionOf,
	switchField,
	textField,
} from '../../shared/form/fields';
import { LIMIT_LABELS } from '../../shared/failure/limits';

// A tool gets one item at a time, and returns no files.
const notTool = { '@tool': [true] };
const waiting = { hide: { '/operation': ['background'] } };
const forResult = { show: { '/operation': ['result'] }, hide: notTool };
const forRows = { show: { '/operation': ['rows'] } };

/** Limits of time and number. *Retry execution* starts no item again because one has changed. */
export const limitFields = [
	numberField(LIMIT_LABELS.idle, 'idleTimeout', {
		displayOptions: waiting,
		typeOptions: { minValue: 0 },
		default: 300,
		description: 'Seconds without any data from the service before the connection is closed. Set to 0 for no limit.',
	}),
	numberField('Max Busy Wait (s)', 'waitIfBusy', {
		displayOptions: { hide: notTool },
		typeOptions: { minValue: 0 },
		default: 120,
		description:
			'Maximum time without an accepted start while the service is busy. Rejected runs are not billed. Set to 0 to fail immediately.',
	}),
	numberField('Max Parallel Runs', 'parallelRuns', {
		displayOptions: { hide: notTool },
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		description: 'Maximum number of runs at the same time. Output order matches input order.',
	}),
	numberField(LIMIT_LABELS.total, 'totalTimeout', {
		displayOptions: waiting,
		typeOptions: { minValue: 0 },
		default: 1800,
		description: 'Maximum duration of a run in seconds, including downloads. Set to 0 for no limit.',
	}),
];

const TEXT_IS_KEPT = "Handled as set in 'On Error'; the thread ID and text are kept";
const PARTIAL_IS_KEPT = "Handled as set in 'On Error'; the thread ID and partial result are kept";

const unsorted: INodeProperties[] = [
	switchField('Check If Task Was Done', 'checkDone', {
		displayOptions: { show: { '/operation': ['result'] } },
		default: true,
		description:
			'Whether to ask the agent to report anything that stopped it. Turn off if the agent may ask questions, as in a chat.',
	}),
	textField('Data for the Agent', 'agentData', {
		displayOptions: { hide: notTool },
		requiresDataPath: 'multiple',
		placeholder: 'e.g. message, customer.name',
		description:
			'Comma-separated names of input fields with text from others. The agent is instructed to treat it as data.',
	}),
	textField('Files for the Agent', 'agentFiles', {
		displayOptions: { hide: notTool },
		requiresDataPath: 'multiple',
		placeholder: 'e.g. data, attachment_0',
		description:
			'Comma-separated names of binary fields of the input item. The task then contains a link to a copy of each file. Anyone with a link can download the file until the link expires.',
	}),
	switchField('Download Linked Files', 'downloadLinks', {
		displayOptions: forResult,
		description:
			'Whether to download files that the run returns as links. The API key is not sent. Files that the run sends directly need no download.',
	}),
	choiceField('If Rows Are Invalid', 'ifRowsInvalid', {
		displayOptions: forRows,
		options: [
			{
				name: 'Return Valid Rows Only',
				value: 'validOnly',
				description: "Drop invalid rows and show a hint. If no row is valid, proceed as set in 'On Error'.",
			},
			{ name: 'Throw Error', value: 'error', description: TEXT_IS_KEPT },
		],
		default: 'error',
		description: 'What to do if the reply is not JSON, or if a value does not match its column',
	}),
	choiceField('If Run Does Not Complete', 'ifIncomplete', {
		displayOptions: { show: { '/operation': ['result', 'raw'] } },
		options: [
			{
				name: 'Return Partial Result',
				value: 'partial',
				description: 'Return the partial result; the status field says how the run ended',
			},
			{ name: 'Throw Error', value: 'error', description: PARTIAL_IS_KEPT },
		],
		default: 'error',
		description: 'What to do if the run fails, stops early, needs approval, is interrupted, or times out',
	}),
	textField('Include Input Fields', 'includeFields', {
		requiresDataPath: 'multiple',
		displayOptions: { ...forRows, hide: notTool },
		placeholder: 'e.g. company, website',
		description:
			'Comma-separated names of input fields to copy to each row, or * for all, so that you see which item it belongs to. "error" is not copied, because n8n treats items with it as failed.',
	}),
	switchField('Include Run Details', 'includeRunDetails', {
		displayOptions: forRows,
		description:
			'Whether to add a "run" field with thread ID and status to each item. On the first item, the field also has text, sources, files, data and metadata.',
	}),
	...limitFields,
	{
		displayName: 'Live Streaming',
		name: 'live',
		type: 'multiOptions',
		displayOptions: { hide: { ...waiting.hide, ...notTool } },
		options: [
			{
				name: 'Progress Data',
				value: 'data',
				description: 'Each data part when it is received, including parts that are not in the result',
			},
			{ name: 'Text', value: 'text', description: 'The text while it is written' },
			{ name: 'Tool Steps', value: 'tools', description: 'A line for each tool that the agent uses' },
		],
		default: ['text'],
		description:
			"What to stream to a chat or streaming webhook during the run. A chat needs 'Response Mode' set to 'Streaming' in its Chat Trigger.",
	},
	choiceField('Rows per Run', 'rowsPerRun', {
		displayOptions: forRows,
		options: [
			{ name: 'Any Number', value: 'list', description: 'Return one item per row' },
			{ name: 'Exactly One', value: 'one', description: 'Return one item. A reply with more rows is invalid.' },
		],
		default: 'list',
		description: 'How many rows to expect from a run',
	}),
	switchField('Simplify', 'simplify', {
		displayOptions: forResult,
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	}),
	...modelFields,
	additionalBodyFields('{"region": "eu"}'),
];

/** n8n's editor does not sort them. `localeCompare` would load its rules first, and double the time that n8n needs at its start. */
export const options = unsorted.sort((one, other) => (one.displayName < other.displayName ? -1 : 1));

export const optionFields = options.map(optionOf);
