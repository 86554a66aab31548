/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';
import {
	NodeHelpers,
	NodeOperationError,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type IWorkflowBase,
} from 'n8n-workflow';

import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { RunAutomation } from '../../nodes/RunAutomation/RunAutomation.node';
import { RUN_AUTOMATION, runNode } from '../engine/run-node';
import { events, runStream } from '../engine/serve-stream';

/** The examples as files. A real n8n checks their forms and executes them in test/e2e. */
const examples = readdirSync('examples').map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase & { id: string },
}));
const OWN_CREDENTIAL = 'browserAutomationApi';
const all = examples.flatMap(({ workflow }) => workflow.nodes);
const isNote = ({ type }: INode) => type.endsWith('.stickyNote');

const nodeNamed = ({ nodes }: IWorkflowBase, wanted: string) => nodes.find(({ name }) => name === wanted)!;

/** The place of a node on the canvas: a note has a size, a node about this one with its name below it. */
function areaOf({ position: [left, top], parameters, type }: INode) {
	const { width, height } = type.endsWith('.stickyNote') ? parameters : { width: 96, height: 136 };
	return { left, top, right: left + Number(width), bottom: top + Number(height) };
}

const expectAllDifferent = (values: string[]) => expect(values).toEqual([...new Set(values)]);

it('have ids and names of their own', () => {
	expectAllDifferent(examples.map(({ workflow }) => workflow.id));
	expectAllDifferent(examples.map(({ workflow }) => workflow.name));
	expectAllDifferent(all.map(({ id }) => id));
});

/** The tables that an example creates, before any run, and those that it uses. */
const isDataTable = ({ type }: INode) => type.endsWith('.dataTable');
const created = all.filter(({ parameters }) => parameters.resource === 'table').map(({ parameters }) => parameters);

it('are at most 24, and create tables of which none has a name inside that of another', () => {
	expect(examples.length).toBeLessThanOrEqual(24);
	const names = created.map(({ tableName }) => String(tableName));
	expect(names.length).toBeGreaterThan(0);
	// n8n looks for a part of the name, and takes one.
	for (const name of names) expect(names.filter((other) => other.includes(name))).toEqual([name]);
	// The form shows the option as on, but n8n takes it as off unless it is stored.
	for (const { options } of created) expect(options).toEqual({ createIfNotExists: true });
});

const isRun = ({ type, parameters }: INode) => type === RUN_AUTOMATION && parameters.threadId === undefined;
const NOTE_WORDS = 40;

const own = [new BrowserAutomation(), new RunAutomation()].map(({ description }) => description);
const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

/**
 * The types of credentials that n8n's editor fills in when it imports a node of this package: those that the parameters show as
 * they are in the file, without defaults.
 */
function filledIn(node: INode): string[] {
	const [, typeName] = /^n8n-nodes-browser-automation\.(\w+?)(?:Tool)?$/.exec(node.type)!;
	const description = own.find(({ name }) => name === typeName)!;
	const shown = description.credentials!.filter(
		(one) => !one.displayOptions || NodeHelpers.displayParameter(node.parameters, one, node, description),
	);
	return shown.map(({ name }) => name);
}

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

	it('explains itself in short notes that lie beside each other, also what it costs to ask later', () => {
		const texts = notes.map(({ parameters }) => String(parameters.content));
		expect(texts.length).toBeGreaterThan(0);
		for (const text of texts) {
			expect(text).toMatch(/^## .+\n[\s\S]{40,}/);
			expect(text.match(/[^\s#]+/g)!.length).toBeLessThanOrEqual(NOTE_WORDS);
		}
		if (file === 'start-now-ask-later.json') expect(texts.join('\n')).toMatch(/a second run, \*\*billed/);
		const areas = workflow.nodes.map((node) => ({ ...areaOf(node), node }));
		for (const one of areas.filter(({ node }) => isNote(node))) {
			const isCovered = (other: (typeof areas)[0]) =>
				one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
			expect(areas.filter((other) => other !== one && isCovered(other)).map(({ node }) => node.name)).toEqual([]);
		}
	});

	it('gets the credential from n8n on import, or says in the first line of its note which one to choose', () => {
		for (const node of workflow.nodes.filter(({ credentials }) => credentials?.[OWN_CREDENTIAL])) {
			if (node.type === HTTP_REQUEST) {
				// n8n fills in nothing there, but finds a credential by its name if there is no ID.
				expect(node.credentials).toEqual({ [OWN_CREDENTIAL]: { id: null, name: 'Browser Automation account' } });
				expect(notes[0].parameters.content).toMatch(/\n\*\*[^\n]*choose your credential[^\n]*\.\*\*/);
			} else expect(filledIn(node)).toContain(OWN_CREDENTIAL);
		}
		const chosen = workflow.nodes.filter(({ name, disabled, credentials = {} }) => {
			const hasOther = Object.keys(credentials).some((type) => type !== OWN_CREDENTIAL);
			return hasOther && !disabled && !workflow.pinData?.[name];
		});
		const [, first] = String(notes[0].parameters.content).split('\n');
		for (const { name } of chosen) expect(first).toMatch(new RegExp(`^\\*\\*Choose .*\\*${name}\\*.*\\*\\*`));
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
		const before = [...nodesBefore(run.name)].map((name) => nodeNamed(workflow, name));
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

/** Evaluates the value of its only field. */
const evaluating: INodeType = {
	description: {
		...{ displayName: 'Set', name: 'set', group: [], version: 1, description: '', defaults: {}, inputs: ['main'] },
		...{ outputs: ['main'], properties: [{ displayName: 'Value', name: 'value', type: 'string', default: '' }] },
	},
	async execute(this: IExecuteFunctions) {
		return [[{ json: { value: this.getNodeParameter('value', 0) as string } }]];
	},
};

/** What the error workflow of the examples tells of an error. */
async function toldOf(error: object) {
	const { nodes } = examples.find(({ file }) => file === 'tell-me-when-a-run-fails.json')!.workflow;
	const { parameters } = nodes.find(({ name }) => name === 'What Happened')!;
	const { assignments } = parameters.assignments as { assignments: Array<{ name: string; value: string }> };
	const registry = { nodes: { 'test.set': evaluating }, credentials: {} };
	const input = [{ json: { workflow: { name: 'Every night' }, execution: { error: { ...error } } } }];
	const told: Record<string, unknown> = {};
	for (const { name, value } of assignments) {
		const target = { baseUrl: '', automationUrl: '', apiKey: '' };
		const { items } = await runNode('test.set', target, { value }, { registry, input, node: { credentials: {} } });
		told[name] = items[0].json.value;
	}
	return told;
}

describe('tell-me-when-a-run-fails.json', () => {
	const blocked = events({ type: 'error', errorText: 'The site blocked the agent' });
	const told = {
		reason: 'The site blocked the agent',
		what_to_do: expect.stringMatching(
			/^In another Run Automation, set 'Thread ID' to this run's thread ID((?!Thread ID: ).)*$/,
		) as string,
		thread_id: 'thread-1',
	};

	it.each([false, true])('reports reason, advice and thread; in a chat: %s', async (streaming) => {
		const { error } = await runStream(blocked, {}, { streaming });
		expect(await toldOf({ ...error, message: error!.message })).toMatchObject(told);
	});

	it('reports them of a sub-workflow, too, of whose error n8n drops the data', async () => {
		const { error } = await runStream(blocked);
		const stored = { ...error!, message: error!.message } as object;
		const ofParent = new NodeOperationError(error!.node, stored as Error, stored);
		expect(ofParent.context.data).toBeUndefined();
		expect(await toldOf({ ...ofParent, message: ofParent.message })).toMatchObject(told);
	});
});
