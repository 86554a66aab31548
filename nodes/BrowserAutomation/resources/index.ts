// Combines the resources' declarations into the form of Browser Automation.

import type { INodeProperties } from 'n8n-workflow';

import { choiceField, hiddenField } from '../../shared/form/fields';
import { API_KEY, USER_LOGIN } from '../../shared/http/credential';
import { automationRun } from './automationRun';
import { mailbox } from './mailbox';
import { fieldsOf, type Resource } from './operation';
import { payment } from './payment';
import { profile } from './profile';
import { secret } from './secret';
import { session } from './session';
import { web } from './web';

export const resources: Resource[] = [automationRun, mailbox, payment, profile, secret, session, web];

export const CREDENTIAL_TYPES = { apiKey: API_KEY, oAuth2Password: USER_LOGIN };

export const authenticationField = choiceField('Authentication', 'authentication', {
	noDataExpression: true,
	displayOptions: { hide: { resource: ['automationRun'] } },
	options: [
		{ name: 'API Key', value: 'apiKey' },
		{ name: 'User Name and Password', value: 'oAuth2Password' },
	],
	default: 'apiKey',
});

export const resourceField = choiceField('Resource', 'resource', {
	noDataExpression: true,
	options: resources.map(({ name, value }) => ({ name, value })),
	default: 'web',
});

export const browserAutomationFields: INodeProperties[] = [
	// Only tools have this field: before 2.21, n8n does not run nodes with notices that depend on a missing field.
	hiddenField('Tool Description', 'descriptionType', { displayOptions: { hide: { '@tool': [true] } } }),
	authenticationField,
	// n8n looks for `authentication` in every operation, but runs need an API key. With `show`, the editor would hide
	// *Resource*; with options, a new credential would list them twice.
	hiddenField('Authentication', 'authentication', {
		displayOptions: { hide: { resource: [{ _cnd: { not: 'automationRun' } }] } },
		default: 'apiKey',
	}),
	resourceField,
	...resources.flatMap(fieldsOf),
];
