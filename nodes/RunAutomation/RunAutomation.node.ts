import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runAllItems } from './run-all-items';
import { builderHint } from './builder-hint';
import { fields } from './parameters/fields';

export class RunAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Run Automation',
		name: 'runAutomation',
		icon: { light: 'file:../../icons/run-automation.svg', dark: 'file:../../icons/run-automation.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ { result: "get result", rows: "get rows", background: "start in background", raw: "get raw output" }[$parameter["operation"]] }}',
		description: 'Give a web agent a task and get its result. Each run takes minutes and costs money.',
		defaults: { name: 'Run Automation' },
		builderHint,
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'browserAutomationApi', required: true }],
		properties: fields,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runAllItems(this)];
	}
}
