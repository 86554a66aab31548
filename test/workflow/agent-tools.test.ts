import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
} from 'n8n-workflow';

import { BROWSER_AUTOMATION, CREDENTIALS, nodeAsTool, registry, storedFor, type Target } from '../engine/run-node';
import { runWorkflow } from '../engine/run-workflow';
import { serveStarts } from '../engine/serve-starts';
import { startedThread } from '../engine/thread-of';

const TOOL = `${BROWSER_AUTOMATION}Tool`;
const { Main, AiTool } = NodeConnectionTypes;

type Tool = { func(input: { Task: string }): Promise<string> };

/** Calls its tool once for each item, as an AI Agent of version 2 does: inside its own execution. */
const agent: INodeType = {
	description: {
		...{ displayName: 'Agent', name: 'agent', group: [], version: 1, description: '', defaults: {}, properties: [] },
		...{ inputs: [Main, { type: AiTool }], outputs: [Main] },
	},
	async execute(this: IExecuteFunctions) {
		const responses: INodeExecutionData[] = [];
		for (const item of this.getInputData().keys()) {
			const [tool] = (await this.getInputConnectionData(AiTool, item)) as Tool[];
			const response = await tool.func({ Task: `${item}: do it` }).catch(({ message }: Error) => message);
			responses.push({ json: { response }, pairedItem: { item } });
		}
		return [responses];
	},
};

/** The node as n8n connects it to an agent. */
function toolOf(node: INodeType): INodeType {
	const tool = nodeAsTool(node);
	return Object.assign(tool, { description: { ...tool.description, inputs: [], outputs: [AiTool] } });
}

/** Lets an agent call a tool once for each item. */
async function callForEach(items: number, target: Target, parameters: INodeParameters) {
	const place = { typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };
	const nodes: INode[] = [
		{ id: '1', name: 'Start', type: 'test.start', ...place },
		{ id: '2', name: 'Agent', type: 'test.agent', ...place },
		{ id: '3', name: 'Tool', type: TOOL, ...place, parameters, credentials: CREDENTIALS },
	];
	const connections = {
		Start: { main: [[{ node: 'Agent', type: Main, index: 0 }]] },
		Tool: { [AiTool]: [[{ node: 'Agent', type: AiTool, index: 0 }]] },
	};
	const own = { 'test.agent': agent, [TOOL]: toolOf(registry.nodes[BROWSER_AUTOMATION]) };
	const options = {
		registry: { ...registry, nodes: { ...registry.nodes, ...own } },
		credentials: storedFor(target),
		input: Array.from({ length: items }, () => ({ json: {} })),
	};
	const ran = await runWorkflow({ nodes, connections }, options);
	return ran.items('Agent').map(({ json }) => json.response);
}

it('an agent with several items can start a run for each, also after the service was busy', async () => {
	const { target, starts } = await serveStarts([['busy'], ['completed'], ['completed']]);
	const query = "={{ $fromAI('Task', 'What to do', 'string') }}";
	const responses = await callForEach(3, target, { resource: 'automationRun', operation: 'start', query });
	const started = [1, 2].map((item) => expect.stringContaining(`"${startedThread(item)}"`) as string);
	// An agent reads the message; older versions of n8n give it the description.
	const refused = expect.stringMatching(/Slow down|Try again in 1 second/) as string;
	expect(responses).toEqual([refused, ...started]);
	expect(starts).toEqual([[''], [startedThread(1)], [startedThread(2)]]);
});
