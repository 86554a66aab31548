// Describes the node Run Automation.

import { NodeConnectionTypes, type IExecuteFunctions, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { fields } from './form/fields';

/** n8n's AI workflow builder reads this, but no operation's description. n8n rejects hints on *Operation*. */
const builderHint: INodeTypeDescription['builderHint'] = {
	searchHint: [
		'Gives a web agent a task in plain language (open pages, sign in, fill in forms, collect data) and waits for its result. Use it if pages must be opened or operated; to look something up with one search, use Browser Automation, Web: Search, and for an API use HTTP Request. Every operation starts one run per input item, which costs money and takes minutes: filter, limit or merge the items before this node. Executing it to verify it or to learn its output is billed, too: the output is',
		'"rows" (Run and Get Rows) if later nodes need fields: define the columns, and each row is one item with exactly these columns at the top level, ready for Data Table;',
		'"result" (Run and Get Result, default) if text is enough: one item per run with text, status and thread_id, and sources, files and data if the run has them;',
		'"background" (Start in Background) if the run may take longer than the execution: one item with thread_id, url and status "started" immediately, but no result. Get it later with "rows" or "result" and the same threadId;',
		'"raw" (Run and Get Raw Output) only if a node needs the messages of the service: one item per run (output "message": id, role, parts), per part ("parts") or per chunk of the stream ("chunks").',
		'To give the agent a file, name its binary field in the option agentFiles: the agent gets a link to it. Do not put the content of a file into the task.',
		'A follow-up is billed, too. The node never starts a run twice. If a run fails, or its agent could not do the task (status "not_done"), the error names the reason and the thread: set On Error to "Continue (using error output)" to keep the other items. Without it, "Retry execution" in the Executions tab starts only the items that failed. The node waits for a busy service: do not add a Wait node. For a long list, use a loop of one item and save the execution progress.',
	].join(' '),
};

export class RunAutomation implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Run Automation',
		name: 'runAutomation',
		icon: { light: 'file:../../icons/run-automation.svg', dark: 'file:../../icons/run-automation.dark.svg' },
		group: ['transform'],
		version: 1,
		// `$parameter` would evaluate the task.
		subtitle: `={{ ({ result: "Get Result", rows: "Get Rows", background: "Start in Background", raw: "Get Raw Output" }[$parameter["operation"]] ?? "Custom API Call") + ($rawParameter["query"] && !$rawParameter["query"].startsWith("=") ? ": " + $rawParameter["query"].slice(0, 40) : "") }}`,
		description: 'Give a web agent a task and get its result. Each run takes minutes and costs money.',
		defaults: { name: 'Run Automation' },
		builderHint,
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'browserAutomationApi', required: true }],
		properties: fields,
	};

	async execute(this: IExecuteFunctions) {
		// n8n loads every node at its start, so this loads on execution.
		const { runAllItems } = await import('./execute/batch.ts');
		return [await runAllItems(this)];
	}
}
