/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';
import { type INode, type IWorkflowBase } from 'n8n-workflow';

import { RUN_AUTOMATION } from '../engine/run-node';

/** The examples as files. A real n8n checks their forms and executes them in test/e2e, with a connection that is lost, too. */
const examples = readdirSync('examples').map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase & { id: string },
}));
const OWN_CREDENTIAL = 'browserAutomationApi';
const all = examples.flatMap(({ workflow }) => workflow.nodes);
const isNote = ({ type }: INode) => type.endsWith('.stickyNote');

const expectAllDifferent = (values: string[]) => expect(values).toEqual([...new Set(values)]);

it('have ids and names of their own', () => {
	expectAllDifferent(examples.map(({ workflow }) => workflow.id));
	expectAllDifferent(examples.map(({ workflow }) => workflow.name));
	expectAllDifferent(all.map(({ id }) => id));
});

// S17. A row has strangers' text: Google Sheets would read "=HYPERLINK(…&A1)" and "+49 170" as formulas.
it('write text to a sheet as it is, never as a formula', () => {
	const sheets = all.filter(({ type }) => type.endsWith('.googleSheets'));
	const writing = sheets.filter(({ parameters }) => parameters.operation !== 'read');
	expect(writing.map(({ name }) => name)).toEqual(['Write Back']);
	for (const { parameters } of writing) expect(parameters.options).toMatchObject({ cellFormat: 'RAW' });
});

/** The tables that an example creates, before any run, and those that it uses. */
const isDataTable = ({ type }: INode) => type.endsWith('.dataTable');
const created = all.filter(({ parameters }) => parameters.resource === 'table').map(({ parameters }) => parameters);

it('are at most 25, and create tables of which none has a name inside that of another', () => {
	expect(examples.length).toBeLessThanOrEqual(25);
	const names = created.map(({ tableName }) => String(tableName));
	expect(names.length).toBeGreaterThan(0);
	// n8n looks for a part of the name, and takes one.
	for (const name of names) expect(names.filter((other) => other.includes(name))).toEqual([name]);
	// The form shows the option as on, but n8n takes it as off unless it is stored.
	for (const { options } of created) expect(options).toEqual({ createIfNotExists: true });
});

const isRun = ({ type, parameters }: INode) => type === RUN_AUTOMATION && parameters.threadId === undefined;
const NOTE_WORDS = 40;

describe.each(examples)('$file', ({ file, workflow }) => {
	const notes = workflow.nodes.filter(isNote);

	/** The nodes of which one leads to this one, over any number of others. */
	function nodesBefore(name: string, known = new Set<string>()): Set<string> {
		for (const [from, { main = [] }] of Object.entries(workflow.connections)) {
			if (known.has(from) || !main.flat().some((to) => to?.node === name)) continue;
			known.add(from);
			nodesBefore(from, known);
		}
		return known;
	}

	it('is not active, and holds nothing of the instance it was made on', () => {
		expect(workflow.active).toBe(false);
		const keys = ['active', 'connections', 'id', 'name', 'nodes', 'settings'];
		expect(Object.keys(workflow).filter((key) => key !== 'pinData')).toEqual(expect.arrayContaining(keys));
		expect(Object.keys(workflow).length).toBe(workflow.pinData ? 7 : 6);
	});

	it('explains itself in short notes, also what it costs to ask later', () => {
		const texts = notes.map(({ parameters }) => String(parameters.content));
		expect(texts.length).toBeGreaterThan(0);
		for (const text of texts) {
			expect(text).toMatch(/^## .+\n[\s\S]{40,}/);
			expect(text.match(/[^\s#]+/g)!.length).toBeLessThanOrEqual(NOTE_WORDS);
		}
		if (file === 'start-now-ask-later.json') expect(texts.join('\n')).toMatch(/a second run, \*\*billed/);
	});

	it('creates its table before a run, and names its columns in a note', () => {
		for (const { name, parameters } of workflow.nodes.filter(isDataTable)) {
			if (parameters.resource === 'table') {
				const { column } = parameters.columns as { column: Array<{ name: string }> };
				const [note] = notes.filter((one) => String(one.parameters.content).includes(String(parameters.tableName)));
				for (const { name: columnName } of column) expect(note.parameters.content).toContain(`\`${columnName}\``);
				for (const run of workflow.nodes.filter(isRun)) expect(nodesBefore(run.name)).toContain(name);
			} else {
				const names = workflow.nodes.map((node) => node.parameters.tableName);
				expect(names).toContain((parameters.dataTableId as { value: string }).value);
			}
		}
	});

	it('pays for nothing before it needs a second credential', () => {
		const [run] = workflow.nodes.filter(isRun);
		if (!run) return;
		const before = workflow.nodes.filter(({ name }) => nodesBefore(run.name).has(name));
		/** Executing it shows whether the credential is there. One that is pinned is not executed. */
		const isChecked = (type: string) =>
			before.some(({ name, credentials }) => credentials?.[type] && !workflow.pinData?.[name]);
		const unchecked = workflow.nodes.filter(({ name, disabled, credentials = {} }) => {
			const others = Object.keys(credentials).filter((type) => type !== OWN_CREDENTIAL);
			return !disabled && !nodesBefore(run.name).has(name) && others.some((type) => !isChecked(type));
		});
		expect(unchecked.map(({ name }) => name)).toEqual([]);
		const asked = workflow.nodes.filter(({ parameters }) => parameters.operation === 'sendAndWait');
		expect(asked.filter(({ disabled }) => disabled)).toEqual([]);
	});
});
