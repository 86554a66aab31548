/* eslint-disable @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { NodeHelpers, type INode, type INodeParameters, type INodePropertyOptions } from 'n8n-workflow';

import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { optionFields } from '../../nodes/RunAutomation/parameters/options';
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

const BILLED = "Each input item starts its own paid run, unless 'Execute Once' is set.";

describe('a person reads above the task, before paying, in two sentences', () => {
	it.each(RUNS.slice(0, 3))('that each item costs money, and how not to pay for it again: %s %j', (name, form) => {
		const notices = noticesOf(name, form);
		expect(notices).toHaveLength(1);
		expect(notices[0].split('. ')).toEqual([
			BILLED.slice(0, -1),
			expect.stringMatching(/^Pin the output while you build the next nodes[^.]*\.$/),
		]);
		expect(notices[0].split(' ').length).toBeLessThanOrEqual(34);
		expect(notices[0].includes("turn off 'Return as Binary Data' under 'Files'")).toBe(form.operation === 'result');
	});

	it.each(RUNS.slice(3))('that the result of a run in the background is another run: %s %j', (name, form) => {
		const [notice, ...others] = noticesOf(name, form);
		expect(notice).toMatch(/^Each input item starts its own paid run and returns at once\. .* another paid run\.$/);
		expect(notice.split(' ').length).toBeLessThanOrEqual(30);
		expect(others).toEqual([]);
		const [operation] = shown(name, 'options', form).filter((field) => field.name === 'operation');
		const { description } = (operation.options as INodePropertyOptions[]).find(
			({ value }) => value === form.operation,
		)!;
		expect(description).toMatch(/link of the run at once.*billed, too/);
	});
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

const MANUALLY =
	"Each call starts a paid run that takes minutes. Set 'Tool Description' to 'Set Manually', and say so there.";
it.each([RUNS[0], ...RUNS.slice(3)])('who gives the node to an AI agent reads what it costs: %s %j', (name, form) => {
	expect(noticesOf(name, form, 'Tool')).toEqual([MANUALLY]);
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
