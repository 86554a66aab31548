import {
	NodeHelpers,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { RunAutomation } from '../../nodes/RunAutomation/RunAutomation.node';

const NODES = { 'Run Automation': new RunAutomation(), 'Browser Automation': new BrowserAutomation() };

/** The fields of a type that a form shows with these choices made. */
function shown(name: keyof typeof NODES, type: string, form: INodeParameters, suffix = '') {
	const description = { ...NODES[name].description, name: `${NODES[name].description.name}${suffix}` };
	const node = { typeVersion: 1, parameters: form } as INode;
	return description.properties.filter(
		(field) => field.type === type && NodeHelpers.displayParameter(form, field, node, description),
	);
}

const noticesOf = (name: keyof typeof NODES, form: INodeParameters, suffix?: string) =>
	shown(name, 'notice', form, suffix).map(({ displayName }) => displayName);

type Start = [keyof typeof NODES, INodeParameters];
const RUNS: Start[] = [
	...['result', 'rows', 'raw', 'background'].map((operation): Start => ['Run Automation', { operation }]),
	['Browser Automation', { resource: 'automationRun', operation: 'start' }],
];

it.each(RUNS)('a person reads above the task, before paying, one notice: %s %j', (name, form) => {
	const [operation] = shown(name, 'options', form).filter((field) => field.name === 'operation');
	const choices = operation.options as INodePropertyOptions[];
	const { description } = choices.find(({ value }) => value === form.operation)!;
	expect([description, ...noticesOf(name, form)]).toMatchSnapshot();
});

const CALL = 'Every call starts a billed run that takes minutes.';
const SPARKLES = [`${CALL} Click the sparkles at 'Task' to let the model write it.`];
const MANUALLY = [`${CALL} Set 'Tool Description' to 'Set Manually', and mention this there.`];

it.each<[...Start, ...notices: [set: string[], unset: string[]]]>([
	...RUNS.slice(0, 4).map((start): [...Start, string[], string[]] => [...start, SPARKLES, SPARKLES]),
	[...RUNS[4], [], MANUALLY],
])('says in the form of a tool what a call costs and what to do: %s %j', (name, form, set, unset) => {
	expect(noticesOf(name, form, 'Tool')).toEqual(unset);
	expect(noticesOf(name, { ...form, descriptionType: 'auto' }, 'Tool')).toEqual(unset);
	expect(noticesOf(name, { ...form, descriptionType: 'manual' }, 'Tool')).toEqual(set);
});

it.each([
	['result', 15],
	['rows', 15],
	['raw', 12],
	['background', 8],
])('%s has a flat list of few options, each shown only where it has an effect', (operation, count) => {
	const [menu] = shown('Run Automation', 'collection', { operation });
	const node = { typeVersion: 1, parameters: { operation } } as unknown as INode;
	const options = (menu.options as INodeProperties[]).filter((option) =>
		NodeHelpers.displayParameter({}, option, node, NODES['Run Automation'].description, { operation }),
	);
	expect(options.filter(({ type }) => ['collection', 'fixedCollection'].includes(type))).toEqual([]);
	expect(options).toHaveLength(count);
});

it('a tool has no next nodes, and its form speaks of none', () => {
	const [notice, ...others] = noticesOf('Browser Automation', { resource: 'secret', operation: 'get' }, 'Tool');
	expect(notice).toMatch(/saved with the execution/);
	expect(notice).not.toMatch(/next nodes/);
	expect(others).toEqual([]);
});
