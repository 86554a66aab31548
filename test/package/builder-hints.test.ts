/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
	it('says of each node when to take it, what it costs and returns, and when not to execute it', () => {
		const secret = browserAutomation.operations.find((field) => field.displayOptions!.show!.resource![0] === 'secret')!;
		const { builderHint } = optionsOf(secret).find(({ value }) => value === 'get')!;
		expect([runAutomation.hint, browserAutomation.hint, builderHint]).toMatchSnapshot();
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

	it.each(
		browserAutomation.operations.flatMap((field) => {
			const [resource] = field.displayOptions!.show!.resource as string[];
			return optionsOf(field).map(({ value, builderHint }) => ({ resource, value, builderHint }));
		}),
	)('says what $resource $value returns, by the names of its fields', ({ resource, value, builderHint }) => {
		const schemas = join(__dirname, '../../nodes/BrowserAutomation/__schema__/v1.0.0');
		const schema = readFileSync(join(schemas, resource, `${String(value)}.json`), 'utf8');
		const { properties } = JSON.parse(schema) as { properties: object };
		const returned = /^.*?Returns ([^.]+)/.exec(builderHint?.propertyHint ?? '')?.[1].match(/\w+/g) ?? [];
		expect(Object.keys(properties).filter((name) => (returned as string[]).includes(name)).length).toBeGreaterThan(
			Object.keys(properties).length > 1 ? 1 : 0,
		);
	});

	it('names every operation of Run Automation with its value', () => {
		const { hint, operations } = runAutomation;
		for (const { value, name } of optionsOf(operations[0])) expect(hint).toContain(`"${String(value)}" (${name}`);
	});

	it('is free of expressions, and of markup, which the generator would change', () => {
		const texts = browserAutomation.text + runAutomation.text;
		expect(texts).not.toMatch(/@builderHint .*(&lt;|&gt;|=\{\{)/);
	});
});
