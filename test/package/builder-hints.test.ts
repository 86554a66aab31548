import { generateNodeTypeFile, type NodeTypeDescription } from '@n8n/workflow-sdk';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { RunAutomation } from '../../nodes/RunAutomation/RunAutomation.node';

// What n8n's AI workflow builder reads of a community node is what n8n's own generator makes of its description, without
// hidden fields and with the package in front of the name.
const [browserAutomation, runAutomation] = [new BrowserAutomation(), new RunAutomation()].map(({ description }) => {
	const properties = description.properties.filter(({ type }) => type !== 'hidden');
	const name = `n8n-nodes-browser-automation.${description.name}`;
	const text = generateNodeTypeFile({ ...description, name, properties } as unknown as NodeTypeDescription);
	const operations = properties.filter((field) => field.name === 'operation');
	return { text, hint: /@builderHint .+/.exec(text)![0], operations };
});
const optionsOf = ({ options }: INodeProperties) => options as INodePropertyOptions[];

describe("what n8n's AI workflow builder reads", () => {
	it('says of Browser Automation when to take Run Automation instead, and that a start is billed', () => {
		const { hint } = browserAutomation;
		expect(hint).toMatch(/use the node Run Automation instead/);
		expect(hint).toMatch(/Start only starts a run: it is billed, takes minutes, and returns thread_id/);
	});

	it('says of every operation of Browser Automation what it does', () => {
		const blocks = browserAutomation.text.split(/\n(?=\/\*\* .+ \*\/\nexport type )/);
		for (const field of browserAutomation.operations) {
			const [resource] = field.displayOptions!.show!.resource as string[];
			for (const { value, description } of optionsOf(field)) {
				const own = `  resource: '${resource}';\n  operation: '${String(value)}';`;
				// Of operations with the same value, n8n gives the description of the first.
				const expected = resource === 'secret' && value === 'delete' ? 'Deletes a secret' : `/** ${description} */`;
				expect(blocks.filter((block) => block.includes(own))).toEqual([expect.stringContaining(expected)]);
			}
		}
	});

	it('says of Run Automation when to take it, and of its field Operation when to take which and what is returned', () => {
		const { hint, operations } = runAutomation;
		for (const about of [/web agent a task/, /takes minutes/, /costs money/]) expect(hint).toMatch(about);
		for (const { value, name } of optionsOf(operations[0])) expect(hint).toContain(`"${String(value)}" (${name}`);
		for (const output of ['exactly these columns', 'text, status and thread_id', 'thread_id, url and status']) {
			expect(hint).toContain(output);
		}
	});

	it('is free of expressions, and of markup, which the generator would change', () => {
		const texts = browserAutomation.text + runAutomation.text;
		expect(texts).not.toMatch(/@builderHint .*(&lt;|&gt;|=\{\{)/);
	});
});
