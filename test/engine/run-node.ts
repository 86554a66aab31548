import type { IDataObject, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { RunAutomation } from '../../nodes/RunAutomation/RunAutomation.node';
import { asTool } from './as-tool';
import { runWorkflow, type RunOptions } from './run-workflow';

export const registry = {
	nodes: {
		'n8n-nodes-browser-automation.runAutomation': new RunAutomation(),
		'n8n-nodes-browser-automation.runAutomationTool': asTool(new RunAutomation()),
	},
	credentials: { browserAutomationApi: new BrowserAutomationApi() },
};

/** A service that a credential points at, and what else stands in the credential. */
export interface Target {
	baseUrl: string;
	automationUrl: string;
	apiKey: string;
	allowUnencrypted?: boolean;
}

/** What the tests set on the Run Automation node beside its parameters. */
export type Settings = Partial<Pick<INode, 'onError' | 'retryOnFail' | 'type'>>;

/** Runs a workflow of a start node and one Run Automation node, and gives what that node put out. */
export async function runAutomation(
	target: Target,
	parameters: INodeParameters,
	{
		input = [{}],
		settings = {},
		...options
	}: { input?: IDataObject[]; settings?: Settings } & Pick<
		RunOptions,
		'cancelWhen' | 'mode' | 'onLiveChunk' | 'streaming'
	> = {},
) {
	const { baseUrl, automationUrl, apiKey, allowUnencrypted = false } = target;
	const name = 'Run Automation';
	const result = await runWorkflow(
		{
			nodes: [
				{ id: '1', name: 'Start', type: 'test.start', typeVersion: 1, position: [0, 0], parameters: {} },
				{
					id: '2',
					name,
					type: 'n8n-nodes-browser-automation.runAutomation',
					typeVersion: 1,
					position: [200, 0],
					parameters,
					credentials: { browserAutomationApi: { id: '1', name: 'Local service' } },
					...settings,
				},
			],
			connections: { Start: { main: [[{ node: name, type: 'main', index: 0 }]] } },
		},
		{
			registry,
			credentials: { browserAutomationApi: { baseUrl, automationUrl, apiKey, allowUnencrypted } },
			input: input.map((json): INodeExecutionData => ({ json })),
			...options,
		},
	);
	return {
		...result,
		items: result.items(name),
		errorItems: result.items(name, 1),
		hints: result.hints(name),
		error: result.error(name) as
			| (Error & { description?: string; context: IDataObject; httpCode?: string })
			| undefined,
	};
}
