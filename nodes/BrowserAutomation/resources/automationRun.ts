import {
	agentOptions,
	backgroundDescription,
	backgroundNotice,
	optionsField,
	taskField,
	threadIdField,
	toolNotice,
} from '../../form/shared-fields';
import { additionalBodyFields, sent, type Operation, type Resource } from './operation';

export const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start automation run in background',
	description: backgroundDescription,
	builderHint: {
		propertyHint:
			'Each item starts a billed run. Returns thread_id, url and status "started" immediately. For the result, use the node Run Automation, also with a thread started here (Thread ID).',
	},
	routing: { request: { method: 'POST', url: '/api/anything/start', body: { detach: true } } },
	startsRun: true,
	fields: [
		{
			displayName: backgroundNotice,
			name: 'startNotice',
			type: 'notice',
			default: '',
			displayOptions: { hide: { authentication: ['oAuth2Password'], '@tool': [true] } },
		},
		{
			displayName: toolNotice,
			name: 'toolNotice',
			type: 'notice',
			default: '',
			displayOptions: {
				show: { '@tool': [true] },
				hide: { authentication: ['oAuth2Password'], descriptionType: ['manual'] },
			},
		},
		{
			displayName: "Starting runs requires an API key. Select a 'Browser Automation API' credential above.",
			name: 'apiKeyNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { authentication: ['oAuth2Password'] } },
		},
		sent('body', 'query', taskField),
		sent('body', 'thread_id', threadIdField),
		optionsField([
			additionalBodyFields('{"priority": "low"}'),
			...agentOptions.map((field) => sent('body', field.name, field)),
		]),
	],
};

export const automationRun: Resource = {
	name: 'Automation Run',
	value: 'automationRun',
	operations: [start],
	// Here and not at the operation, where older versions of n8n do not know the credential.
	routing: { request: { baseURL: '={{ $credentials.automationUrl }}' } },
};
