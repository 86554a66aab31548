/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';
import type { INode, IWorkflowBase } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION } from '../engine/run-node';

/** The examples as files. A real n8n checks their forms and executes them in test/e2e. */
const examples = readdirSync('examples').map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase & { id: string },
}));
const all = examples.flatMap(({ workflow }) => workflow.nodes);
const isNote = ({ type }: INode) => type.endsWith('.stickyNote');

const expectAllDifferent = (values: string[]) => expect(values).toEqual([...new Set(values)]);

it('have ids and names of their own', () => {
	expectAllDifferent(examples.map(({ workflow }) => workflow.id));
	expectAllDifferent(examples.map(({ workflow }) => workflow.name));
	expectAllDifferent(all.map(({ id }) => id));
});

it('use every operation of Browser Automation', () => {
	const own = all.filter(({ type }) => type === BROWSER_AUTOMATION).map(({ parameters }) => parameters);
	const used = new Set(own.map(({ resource, operation }) => `${String(resource)}/${String(operation)}`));
	const inExamples = (names: string[]) => names.map((name) => `examples/: ${name}`).sort();
	const expected = operations.map(({ resource, operation }) => `${resource}/${operation}`);
	expect(inExamples([...used])).toEqual(inExamples(expected));
});

describe.each(examples)('$file', ({ file, workflow }) => {
	it('is not active, and holds nothing of the instance it was made on', () => {
		expect(workflow.active).toBe(false);
		expect(Object.keys(workflow).sort()).toEqual(['active', 'connections', 'id', 'name', 'nodes', 'settings']);
	});

	it('explains itself in sticky notes, also what it costs to ask later', () => {
		const notes = workflow.nodes.filter(isNote).map(({ parameters }) => String(parameters.content));
		expect(notes.length).toBeGreaterThan(0);
		for (const note of notes) expect(note).toMatch(/^## .+\n[\s\S]{40,}/);
		if (file === 'start-now-ask-later.json') expect(notes.join('\n')).toMatch(/another paid run/);
	});
});
