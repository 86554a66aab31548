// Every form of both nodes, as node and as tool, measured in the editor of a real n8n: whether labels and notices are easy to read.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { credentials } from './agents.mjs';
import { editor } from './shared-editor.mjs';
import { n8n, types } from './shared.mjs';

const MAX_LINES = 3;

/** Fields that n8n adds, or shows with the credential. */
const OF_N8N = ['authentication', 'toolDescription', 'requestOptions'];

const ours = types.filter(({ name }) => name.startsWith('n8n-nodes-browser-automation.'));

/** The groups and fields inside of a field. */
const within = ({ options = [] }) => options.filter(({ displayName }) => displayName);

const all = (fields, valueOf) => Object.fromEntries(fields.map((field) => [field.name, valueOf(field, fields)]));

/** A value other than the default: n8n hides optional fields that have it. Of choices, the one that shows more fields. */
function filled(field, fields) {
	const { type, name, default: initial, options, typeOptions } = field;
	if (type === 'collection') return all(within(field), filled);
	if (type === 'fixedCollection') {
		return all(within(field), ({ values }) =>
			typeOptions.multipleValues ? [all(values, filled)] : all(values, filled),
		);
	}
	if (type === 'boolean') return !initial;
	if (type === 'number') return Number(initial) + 1;
	if (type === 'multiOptions') return options.map(({ value }) => value);
	if (type !== 'options') return type === 'json' ? '{ "name": "text" }' : 'text';
	const [shown] = fields.flatMap(({ displayOptions }) => displayOptions?.show?.[name] ?? []);
	return shown ?? options.find(({ value }) => value !== initial).value;
}

/** The parameters of as many nodes as show each choice of the form of an operation once, all options included. */
function formsOf(properties, chosen) {
	const isShown = ({ type, displayOptions: { show } = {} }) =>
		type !== 'hidden' && Object.entries(chosen).every(([name, value]) => show?.[name]?.includes(value) ?? true);
	const fields = properties.filter((field) => isShown(field) && !OF_N8N.includes(field.name));
	const asked = fields.flatMap(({ displayOptions: { show, hide } = {} }) => Object.keys({ ...show, ...hide }));
	const choices = properties.filter(
		({ name, type }) => asked.includes(name) && !(name in chosen) && ['options', 'boolean'].includes(type),
	);
	const valuesOf = ({ options, default: initial }) => options?.map(({ value }) => value) ?? [initial, !initial];
	const count = Math.max(1, ...choices.map((choice) => valuesOf(choice).length));
	return Array.from({ length: count }, (_, index) => ({
		...all(fields, filled),
		...all(choices, (choice) => valuesOf(choice)[index] ?? valuesOf(choice).at(-1)),
		...chosen,
	}));
}

/** A node for each form, in rows of ten. */
function nodesOf({ type, properties }) {
	const operations = properties.filter(({ name }) => name === 'operation');
	const forms = operations.flatMap(({ displayOptions, options }) =>
		// n8n adds Custom API Call to the lists, but no action.
		options.flatMap(({ action, value: operation }) => {
			const [resource] = displayOptions?.show?.resource ?? [];
			return action ? formsOf(properties, resource ? { resource, operation } : { operation }) : [];
		}),
	);
	return forms.map((parameters, index) => ({
		...{ type, typeVersion: 1, id: String(index), parameters, credentials },
		name: `${parameters.resource ?? 'run'} ${parameters.operation} ${index}`,
		position: [(index % 10) * 240, Math.floor(index / 10) * 200],
	}));
}

/** The texts of labels and notices in the open form, and the themes in which one of them is cut or too long. */
function measure(form, maxLines) {
	const [labels, notices] = ['label .n8n-text', '.notice-content'].map((every) => [...form.querySelectorAll(every)]);
	const isCut = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth;
	const isLong = (text) => text.offsetHeight / parseFloat(getComputedStyle(text).lineHeight) > maxLines + 0.5;
	const bad = ['dark', 'light'].flatMap((theme) => {
		document.body.dataset.theme = theme;
		return [...labels.filter(isCut), ...notices.filter(isLong)].map(({ innerText }) => [innerText.trim(), theme]);
	});
	return { texts: [...labels, ...notices].map(({ innerText }) => innerText.trim()), bad };
}

/** The labels of the fields that a person can fill in, at any depth. */
const labelsOf = (fields) =>
	fields
		.filter(({ name, type }) => !['hidden', 'notice'].includes(type) && !OF_N8N.includes(name))
		.flatMap((field) => [
			field.displayName,
			...labelsOf(field.type === 'fixedCollection' ? within(field).flatMap(({ values }) => values) : within(field)),
		]);

const seen = new Set();

for (const { name: type, displayName, properties } of ours) {
	it(`shows labels complete, and notices of at most ${MAX_LINES} lines, in every form of ${displayName}`, async () => {
		const nodes = nodesOf({ type, properties });
		const { id } = await n8n.createWorkflow({ name: displayName, nodes, connections: {}, settings: {} });
		await editor.openWorkflow(id);
		await editor.fitCanvas();
		const bad = {};
		for (const { name } of nodes) {
			await editor.openNode(name);
			// The form is as wide in any page.
			const found = await editor.at('node-parameters').evaluate(measure, MAX_LINES);
			for (const text of found.texts) seen.add(text);
			for (const [text, theme] of found.bad) bad[text] ??= `${name}, ${theme}`;
			await editor.closeNode();
		}
		assert.deepEqual(bad, {});
	});
}

it('has measured every field of both nodes', () => {
	const labels = ours.flatMap(({ properties }) => labelsOf(properties));
	assert.deepEqual(
		labels.filter((label) => !seen.has(label)),
		[],
	);
});
