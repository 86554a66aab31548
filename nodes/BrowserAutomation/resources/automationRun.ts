// The declaration of *Automation Run: Start* (contract 4.2).

import {
	additionalBodyFields,
	backgroundNotice,
	modelFields,
	notice,
	optionsField,
	taskField,
	threadIdField,
} from '../../shared/form/fields';
import { START_PATH } from '../../shared/http/credential';
import { inBody, type Operation, type Resource } from './operation';

export const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start automation run in background',
	description: "Return the run link immediately, like 'Start in Background' of Run Automation",
	propertyHint:
		'Each item starts a billed run. Returns thread_id, url and status "started" immediately. For the result, use the node Run Automation, also with a thread started here (Thread ID).',
	routing: { request: { method: 'POST', url: START_PATH, body: { detach: true } } },
	startsRun: true,
	fields: [
		notice('startNotice', backgroundNotice, { hide: { authentication: ['oAuth2Password'], '@tool': [true] } }),
		notice(
			'toolNotice',
			"Every call starts a billed run that takes minutes. Set 'Tool Description' to 'Set Manually', and mention this there.",
			{ show: { '@tool': [true] }, hide: { authentication: ['oAuth2Password'], descriptionType: ['manual'] } },
		),
		notice('apiKeyNotice', "Starting runs requires an API key. Select a 'Browser Automation API' credential above.", {
			show: { authentication: ['oAuth2Password'] },
		}),
		{ ...taskField, routing: inBody('query') },
		{ ...threadIdField, routing: inBody('thread_id') },
		optionsField([
			additionalBodyFields('{"priority": "low"}'),
			...modelFields.map((field) => ({ ...field, routing: inBody(field.name) })),
		]),
	],
};

export const automationRun: Resource = {
	name: 'Automation Run',
	value: 'automationRun',
	operations: [start],
};
