import { sent, type Operation } from '../../nodes/BrowserAutomation/resources/operation';
import { profile } from '../../nodes/BrowserAutomation/resources/profile';
import { session } from '../../nodes/BrowserAutomation/resources/session';

// The operations of two recipes of CONTRIBUTING.md, which no operation of the package needs yet. They are added before anything else is
// imported: the form is made of what the resources have then.

const named = (value: string, action: string) => ({
	name: action,
	value,
	action,
	description: action,
	propertyHint: '',
});

/** A list in pages. */
export const listInPages: Operation = {
	...named('listInPages', 'List in pages'),
	routing: { request: { method: 'GET', url: '/profiles' } },
	list: 'profiles',
	fields: [
		sent('query', 'page_size', { displayName: 'Page Size', name: 'pageSize', type: 'number', default: 2 }),
		{ displayName: 'Limit', name: 'limit', type: 'number', default: 50 },
		{ displayName: 'Split Into Items', name: 'splitIntoItems', type: 'boolean', default: true },
	],
};

/** A success that is bytes. */
export const bytesOperation: Operation = {
	...named('bytes', 'Get bytes'),
	routing: {
		request: {
			method: 'GET',
			url: '/sessions/{session_id}/screenshot',
			encoding: 'arraybuffer',
			headers: { Accept: 'image/png' },
		},
	},
	fields: [{ displayName: 'Output Field', name: 'bytesField', type: 'string', default: 'data' }],
};

profile.operations.push(listInPages);
session.operations.push(bytesOperation);
