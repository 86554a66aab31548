import type { INode, INodeExecutionData, INodeParameters, NodeApiError } from 'n8n-workflow';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { asTool } from '../engine/as-tool';
import { runWorkflow, type RunOptions } from '../engine/run-workflow';

export const TYPE = 'n8n-nodes-browser-automation.browserAutomation';
export const NODE = 'Browser Automation';

export const registry = {
	nodes: { [TYPE]: new BrowserAutomation(), [`${TYPE}Tool`]: asTool(new BrowserAutomation()) },
	credentials: { browserAutomationApi: new BrowserAutomationApi() },
};

export interface Address {
	baseUrl: string;
	automationUrl: string;
	apiKey: string;
}

export interface Ran {
	items: INodeExecutionData[];
	/** Items of the error output, where the node has one. */
	errorItems: INodeExecutionData[];
	error: NodeApiError | undefined;
	status: string;
}

/** Runs the node once on the real engine, with the given form. */
export async function runNode(
	{ baseUrl, automationUrl, apiKey }: Address,
	parameters: INodeParameters,
	{
		node,
		credentials,
		...options
	}: Partial<Omit<RunOptions, 'credentials'>> & { node?: Partial<INode>; credentials?: object } = {},
): Promise<Ran> {
	const result = await runWorkflow(
		{
			nodes: [
				{ id: '1', name: 'Start', type: 'test.start', typeVersion: 1, position: [0, 0], parameters: {} },
				{
					id: '2',
					name: NODE,
					type: TYPE,
					typeVersion: 1,
					position: [200, 0],
					parameters,
					credentials: { browserAutomationApi: { id: '1', name: 'Service' } },
					...node,
				},
			],
			connections: { Start: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
		},
		{
			registry,
			credentials: {
				browserAutomationApi: { apiKey, baseUrl, automationUrl, allowUnencrypted: false, ...credentials },
			},
			...options,
		},
	);
	const main = result.run.data.resultData.runData[NODE]?.at(-1)?.data?.main ?? [];
	return {
		items: main[0] ?? [],
		errorItems: main[1] ?? [],
		error: result.error(NODE) as NodeApiError | undefined,
		status: result.run.status,
	};
}

/** Everything of an error that n8n keeps or shows, as one text, to look for what must not be in it. */
export function everythingOf(error: unknown): string {
	const seen = new Set<unknown>();
	const texts: string[] = [];
	const visit = (value: unknown) => {
		if (typeof value === 'string') texts.push(value);
		if (typeof value !== 'object' || value === null || seen.has(value)) return;
		seen.add(value);
		for (const key of Reflect.ownKeys(value)) {
			// The node of the error is the form as it was filled in.
			if (key !== 'node') visit((value as Record<PropertyKey, unknown>)[key]);
		}
	};
	visit(error);
	return texts.join('\n');
}
