/* eslint-disable @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import {
	NodeHelpers,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { optionFields } from '../../nodes/RunAutomation/form/options';
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

const BILLED = "Each input item starts a billed run. For a single run, turn on 'Execute Once' in 'Settings'.";

it.each(RUNS)('a person reads above the task, before paying, one notice: %s %j', (name, form) => {
	const [operation] = shown(name, 'options', form).filter((field) => field.name === 'operation');
	const choices = operation.options as INodePropertyOptions[];
	const { description } = choices.find(({ value }) => value === form.operation)!;
	expect([description, ...noticesOf(name, form)]).toMatchSnapshot();
});

it.each<[...Start, shownFor: number[]]>([
	...RUNS.map((start): [...Start, number[]] => [...start, [2]]),
	['Browser Automation', { resource: 'web', operation: 'search' }, []],
])('a hint before the execution says what several items cost: %s %j', (name, form, shownFor) => {
	const hints = NODES[name].description.hints!.filter(({ whenToDisplay }) => whenToDisplay === 'beforeExecution');
	expect(hints).toMatchObject([{ message: BILLED, type: 'warning', location: 'outputPane' }]);
	const [, condition] = /^=\{\{ (.+) \}\}$/.exec(hints[0].displayCondition!)!;
	const holds = new Function('$parameter', '$input', `return ${condition}`) as (...given: object[]) => boolean;
	expect([1, 2].filter((items) => holds(form, { all: () => Array(items).fill({}) }))).toEqual(shownFor);
});

const CALL = 'Each call starts a billed run that takes minutes.';
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

it.each<[string, INodeParameters, number]>([
	['result', {}, 8],
	['rows', {}, 8],
	['rows', { ifRowsInvalid: 'correction' }, 8],
	['raw', {}, 6],
	['background', {}, 4],
])('the menu of options has few entries beside those that are set: %s %j', (operation, set, entries) => {
	const [menu] = shown('Run Automation', 'collection', { operation });
	const node = { typeVersion: 1, parameters: { operation } } as unknown as INode;
	const isEntry = (option: INodeProperties) =>
		!(option.name in set) &&
		NodeHelpers.displayParameter(set, option, node, NODES['Run Automation'].description, { operation });
	expect((menu.options as INodeProperties[]).filter(isEntry)).toHaveLength(entries);
});

it('a tool speaks of no next nodes, and has no limits for several items, which it never gets', () => {
	const [notice, ...others] = noticesOf('Browser Automation', { resource: 'secret', operation: 'get' }, 'Tool');
	expect(notice).toMatch(/saved with the execution/);
	expect(notice).not.toMatch(/next nodes/);
	expect(others).toEqual([]);

	const limits = optionFields.filter(({ name }) => ['maxRuns', 'parallelRuns'].includes(name));
	expect(limits.map(({ displayOptions }) => displayOptions)).toEqual(limits.map(() => ({ hide: { '@tool': [true] } })));
	expect(limits).toHaveLength(2);
});
