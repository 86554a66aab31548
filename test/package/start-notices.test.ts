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

const BACKGROUND: Array<[keyof typeof NODES, INodeParameters, string]> = [
	['Run Automation', { operation: 'background' }, "'Automation Run: Start' of Browser Automation"],
	['Browser Automation', { resource: 'automationRun', operation: 'start' }, "'Start in Background' of Run Automation"],
];

describe('a person reads above the task, before paying', () => {
	it.each<[keyof typeof NODES, INodeParameters]>([
		['Run Automation', { operation: 'result' }],
		['Run Automation', { operation: 'rows' }],
		['Run Automation', { operation: 'raw' }],
		...BACKGROUND.map(([name, form]): [keyof typeof NODES, INodeParameters] => [name, form]),
	])('that each run costs money, and how not to pay for it again: %s %j', (name, form) => {
		const notices = noticesOf(name, form);
		expect(notices).toEqual([
			expect.stringMatching(/^Each run costs money\. .*'Retry On Fail'.*'Stop'.* Pin the output/),
		]);
		expect(notices[0].includes("turn off 'Return as Binary Data' under 'Files'")).toBe(form.operation === 'result');
	});

	it.each(BACKGROUND)('how to get the result of a run in the background: %s %j', (name, form, twin) => {
		const [notice] = noticesOf(name, form);
		expect(notice).toContain("use Run Automation later, with thread_id as its 'Thread ID'");
		expect(notice).toContain(`${twin} does the same`);
		const [operation] = shown(name, 'options', form).filter((field) => field.name === 'operation');
		const { description } = (operation.options as INodePropertyOptions[]).find(
			({ value }) => value === form.operation,
		)!;
		expect(description).toMatch(/link of the run at once.*billed, too/);
	});
});

it.each<[keyof typeof NODES, INodeParameters]>([
	['Run Automation', { operation: 'result' }],
	...BACKGROUND.map(([name, form]): [keyof typeof NODES, INodeParameters] => [name, form]),
])('who gives the node to an AI agent reads that the agent should be told what it costs: %s %j', (name, form) => {
	expect(noticesOf(name, form, 'Tool')).toEqual([
		expect.stringMatching(
			/^Each run costs money and takes minutes\. Set 'Tool Description' to 'Set Manually' .* the description of this tool/,
		),
	]);
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
