import type { INodePropertyOptions } from 'n8n-workflow';

import type { FormField } from '../../nodes/shared/form/fields';
import { credentialTypes, nodeTypes } from '../support/registered';

// What a form says without words: a person reads each change of these lists.

type Entry = FormField & { values?: Entry[] };

/** Every field of a form with the path of its names, also those inside of collections. */
const fieldsBelow = (fields: Entry[], path = ''): Array<[string, Entry]> =>
	fields.flatMap((field) => {
		const own = path + field.name;
		const inner = ['collection', 'fixedCollection'].includes(field.type) ? (field.options as Entry[]) : [];
		return [[own, field], ...fieldsBelow([...inner, ...(field.values ?? [])], `${own}.`)];
	});

const forms = nodeTypes.map(({ description }) => ({ name: description.name, properties: description.properties }));

it('no operation takes the place of the one that a node has which was saved without it', () => {
	const chosen = forms.flatMap(({ properties }) => properties.filter(({ name }) => name === 'operation'));
	const all = chosen.map((field) => [field.displayOptions?.show?.resource?.join() ?? 'run', field.default]);
	// Not in a snapshot, which changes with every new operation: n8n does not save a default.
	expect(Object.fromEntries(all)).toMatchObject({
		...{ run: 'result', automationRun: 'start', mailbox: 'createConnectLink', payment: 'connectWallet' },
		...{ profile: 'setCookies', secret: 'get', session: 'getReplay', web: 'search' },
	});
});

describe.each(forms)('the form of $name', ({ properties }) => {
	const fields = fieldsBelow(properties);

	// If n8n itself finds a required field empty, its editor drops all run data, and earlier nodes start billed runs again.
	it('leaves required fields to the node, and says so in their descriptions', () => {
		expect(fields.filter(([, { required }]) => required)).toEqual([]);
		const marked = fields.filter(([, { isRequired }]) => isRequired).map(([, { description }]) => description);
		expect(marked.length).toBeGreaterThan(2);
		expect(marked.filter((text) => !text!.startsWith('Required. '))).toEqual([]);
	});

	it('has these operations, the first one chosen in a new node', () => {
		const listed = properties.filter(({ name }) => name === 'operation');
		const operations = listed.map(({ options, default: chosen, displayOptions }) => {
			const all = (options as INodePropertyOptions[]).map(({ value, action }) => `${String(value)}: ${action}`);
			const rankOf = (line: string) => (line.startsWith(`${String(chosen)}:`) ? 0 : 1);
			const chosenFirst = all.toSorted((one, other) => rankOf(one) - rankOf(other));
			return [displayOptions?.show?.resource?.join() ?? 'all', ...chosenFirst];
		});
		expect(operations).toMatchSnapshot();
	});

	it('has these values in a new node, which n8n does not save', () => {
		const isValue = ([, { type }]: [string, Entry]) => !['collection', 'fixedCollection', 'notice'].includes(type);
		const values = fields.filter(isValue).filter(([path, field]) => path !== 'operation' && 'default' in field);
		const lines = new Set(values.map(([path, field]) => `${path}: ${JSON.stringify(field.default)}`));
		expect([...lines].sort()).toMatchSnapshot();
	});

	it('rejects smaller numbers than these', () => {
		const numbers = fields.filter(([, { type }]) => type === 'number');
		const lines = numbers.map(([path, { typeOptions }]) => `${path}: ${typeOptions?.minValue ?? 'any'}`);
		expect(lines.sort()).toMatchSnapshot();
	});

	it('shows its fields in these cases, requires these, and hides these values', () => {
		const lines = fields.map(([path, { displayOptions = {}, isRequired, typeOptions }]) => {
			const cases = Object.entries(displayOptions).map(([kind, values]) => `${kind} ${JSON.stringify(values)}`);
			const isSecret = typeOptions?.password === true;
			return [path, ...cases, ...(isRequired ? ['required'] : []), ...(isSecret ? ['not shown'] : [])].join(', ');
		});
		const withCases = lines.filter((line) => line.includes(', ') && !line.startsWith('options.'));
		expect([...new Set(withCases)].sort()).toMatchSnapshot();
	});

	it('shows its options here', () => {
		const options = fields.filter(([path, field]) => path.startsWith('options') && field.displayOptions);
		const everywhere = fields.filter(([path, field]) => path.startsWith('options.') && !field.displayOptions);
		const lines = options.map(([path, { displayOptions }]) => `${path}: ${JSON.stringify(displayOptions)}`);
		expect(lines.sort()).toMatchSnapshot();
		expect(everywhere.map(([path]) => path).sort()).toMatchSnapshot();
	});
});

const titleOfCredential = 'the form of the credential $name has these fields, with these values in a new one';
it.each(credentialTypes)(titleOfCredential, ({ properties }) => {
	const fields = properties.map(({ name, type: kind, default: value, required, typeOptions }) => {
		const isSecret = typeOptions?.password === true || kind === 'hidden';
		return `${name}: ${kind}, ${JSON.stringify(value)}${required ? ', required' : ''}${isSecret ? ', not shown' : ''}`;
	});
	expect(fields).toMatchSnapshot();
});
