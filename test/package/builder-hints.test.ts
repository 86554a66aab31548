import { generateNodeTypeFile, type NodeTypeDescription } from '@n8n/workflow-sdk';
import 'reflect-metadata';
import { PackageDirectoryLoader } from 'n8n-core';
import type { INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';
import { packPackage } from './packed';

// What n8n's AI workflow builder reads of a community node is what n8n's own generator makes of its description.

const { make, unpacked } = packPackage();
const operationFields = ({ properties }: { properties: INodeProperties[] }) =>
	properties.filter(({ name }) => name === 'operation');
const [browserAutomation, runAutomation] = manifest.n8n.nodes.map((file) => make<INodeType>(file)[1].description);

/** The type definition that the builder reads: n8n drops hidden fields and puts the package in front of the name. */
const typeDefinition = (description: INodeType['description']) =>
	generateNodeTypeFile({
		...description,
		name: `${manifest.name}.${description.name}`,
		properties: description.properties.filter(({ type }) => type !== 'hidden'),
	} as unknown as NodeTypeDescription);

it('n8n loads the package: it refuses a hint in the wrong place', async () => {
	const loader = new PackageDirectoryLoader(unpacked);
	await loader.loadAll();
	expect(Object.keys(loader.nodeTypes)).toEqual(['browserAutomation', 'runAutomation']);
});

describe("what n8n's AI workflow builder reads", () => {
	it('says of Browser Automation when to take Run Automation instead, and that a start is billed', () => {
		const [hint] = typeDefinition(browserAutomation).match(/@builderHint .+/g)!;
		expect(hint).toMatch(/use the node Run Automation instead/);
		expect(hint).toMatch(/Start only starts a run: it is billed, takes minutes, and returns thread_id/);
	});

	it('says of every operation of Browser Automation what it does', () => {
		const blocks = typeDefinition(browserAutomation).split(/\n(?=\/\*\* .+ \*\/\nexport type )/);
		for (const { displayOptions, options } of operationFields(browserAutomation)) {
			const [resource] = displayOptions!.show!.resource as string[];
			for (const { value, description } of options as INodePropertyOptions[]) {
				const isOwn = (block: string) =>
					block.includes(`  resource: '${resource}';\n  operation: '${value as string}';`);
				// Of operations with the same value, n8n gives the description of the first.
				const expected = resource === 'secret' && value === 'delete' ? 'Deletes a secret' : `/** ${description} */`;
				expect(blocks.filter(isOwn)).toEqual([expect.stringContaining(expected)]);
			}
		}
	});

	it('says of Run Automation when to take it, and of its field Operation when to take which and what is returned', () => {
		const [hint] = typeDefinition(runAutomation).match(/@builderHint .+/g)!;
		for (const about of [/web agent a task/, /takes minutes/, /costs money/]) expect(hint).toMatch(about);
		for (const { value, name } of operationFields(runAutomation)[0].options as INodePropertyOptions[]) {
			expect(hint).toContain(`"${String(value)}" (${name}`);
		}
		for (const output of ['exactly these columns', 'text, status and thread_id', 'thread_id, url and status']) {
			expect(hint).toContain(output);
		}
	});

	it('is free of expressions, and of markup, which the generator would change', () => {
		for (const description of [browserAutomation, runAutomation]) {
			expect(typeDefinition(description)).not.toMatch(/@builderHint .*(&lt;|&gt;|=\{\{)/);
		}
	});
});
