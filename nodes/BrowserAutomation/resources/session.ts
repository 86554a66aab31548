// The declarations of sessions: their recording and their script (contract 4.6 and 4.7).

import { numberField, optionsField, switchField, textField } from '../../shared/form/fields';
import { inPath, inQuery, type Operation, type Resource } from './operation';

const downloadVideo = switchField('Download Video', 'downloadVideo', {
	description: 'Whether to return the video, if there is one, as binary data',
	hint: 'The links in the output expire at expires_at. Download the video to keep it.',
});

export const videoField = textField('Video Output Data Field Name', 'videoField', {
	default: 'video',
	displayOptions: { show: { downloadVideo: [true] } },
	hint: 'The name of the output field to put the binary video data in',
});

export const idleTimeout = numberField('Idle Timeout (s)', 'idleTimeout', {
	typeOptions: { minValue: 0 },
	default: 300,
	description: 'Seconds without any video data before the connection is closed. Set to 0 for no limit.',
});

export const maxVideoSize = numberField('Max Video Size (MB)', 'maxVideoSize', {
	typeOptions: { minValue: 1 },
	default: 512,
	description: 'Maximum size of the video, in megabytes',
});

export const maximumWait = numberField('Max Wait (s)', 'maximumWait', {
	typeOptions: { minValue: 0 },
	default: 300,
	displayOptions: { show: { waitForRecording: [true] } },
	description: 'Maximum time to wait. If the service does not say that the recording comes, the node waits 30 seconds.',
});

export const getReplay: Operation = {
	name: 'Get Replay',
	value: 'getReplay',
	action: 'Get session replay',
	description: 'Get the recording of a session that has ended',
	propertyHint:
		'Returns playlist_content, mp4_url and expires_at and, if chosen, the video as binary data. Ask the user for the session ID: no operation lists sessions.',
	routing: { request: { method: 'GET', url: '/sessions/{session_id}/replay' } },
	file: { property: 'mp4_url', wantedIf: downloadVideo, nameField: videoField, extension: 'mp4' },
	returns: ['expires_at', 'playlist_content', 'mp4_url', 'video_start_ms', 'video_duration_ms'],
	fields: [
		switchField('Wait for Recording', 'waitForRecording', {
			description:
				'Whether to wait until the recording is ready. The service creates it some time after the session ends.',
		}),
		maximumWait,
		downloadVideo,
		videoField,
		// n8n shows a heading even without entries.
		{ ...optionsField([idleTimeout, maxVideoSize]), displayOptions: { show: { downloadVideo: [true] } } },
	],
};

const downloadScript = switchField('Download Script', 'addScriptFile', {
	description: 'Whether to return the Python script as binary data of the first item',
});

const scriptField = textField('Output Data Field Name', 'scriptField', {
	default: 'script',
	displayOptions: { show: { addScriptFile: [true] } },
	hint: 'The name of the output field to put the binary file data in',
});

const getScript: Operation = {
	name: 'Get Script',
	value: 'getScript',
	action: 'Get session script',
	description: 'Get the actions of a session as a list and as a Python script',
	propertyHint: 'Returns python_script and json_actions.',
	routing: { request: { method: 'GET', url: '/sessions/{session_id}/workflow/code' } },
	returns: ['python_script', 'json_actions'],
	list: 'json_actions',
	ifEmpty: 'The session has no actions',
	file: {
		property: 'python_script',
		wantedIf: downloadScript,
		nameField: scriptField,
		extension: 'py',
		mediaType: 'text/x-python',
	},
	fields: [
		switchField('Return Runnable Script', 'asWorkflow', {
			routing: inQuery('as_workflow'),
			default: true,
			description: 'Whether to return a script that can be executed on its own, instead of only the steps',
		}),
		switchField('Split Into Items', 'splitIntoItems', {
			description: 'Whether to return one item per action instead of the complete response',
		}),
		downloadScript,
		scriptField,
		optionsField([
			switchField('Infer Response Format', 'inferResponseFormat', {
				routing: inQuery('infer_response_format'),
				description: 'Whether the service adds a response schema to scrape steps that have instructions but no schema',
			}),
		]),
	],
};

export const session: Resource = {
	name: 'Session',
	value: 'session',
	operations: [getReplay, getScript],
	fields: [
		inPath('session_id', 'Session ID', 'sessionId', {
			placeholder: 'e.g. session_123',
			description: 'ID of the cloud browser session. Runs return only a thread ID.',
			hint: "Copy it from the session list in the service's web console",
		}),
	],
};
