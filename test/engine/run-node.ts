/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { inspect } from 'node:util';
import type {
	IConnections,
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	NodeApiError,
} from 'n8n-workflow';
import manifest from '../../package.json';
import { fields } from '../../nodes/RunAutomation/form/fields';
import { options } from '../../nodes/RunAutomation/form/options';
import { credentialTypes, nodeTypes } from '../support/registered';
import { runWithoutExecution, runWorkflow, type RunOptions } from './run-workflow';

export const BROWSER_AUTOMATION = 'n8n-nodes-browser-automation.browserAutomation';
export const RUN_AUTOMATION = 'n8n-nodes-browser-automation.runAutomation';

/** The node type that n8n derives for the use as a tool of an AI agent: the same class under a name of its own. */
export function nodeAsTool(node: INodeType): INodeType {
	const description = { ...node.description, name: `${node.description.name}Tool` };
	return Object.assign(Object.create(node) as INodeType, { description });
}

/** The nodes and the credentials of the package; the nodes also under the names that they have as tools. */
export const registry = {
	nodes: Object.fromEntries(
		[...nodeTypes, ...nodeTypes.map(nodeAsTool)].map((type) => [`${manifest.name}.${type.description.name}`, type]),
	),
	credentials: Object.fromEntries(credentialTypes.map((type) => [type.name, type])),
};

/** The operation of Run Automation by a single name: what raw output is returned stands in a field of its own. */
export const operationOf = (name: string) =>
	['message', 'chunks'].includes(name) ? { operation: 'raw', output: name } : { operation: name };

/** What Run Automation can return, except rows, which not every run has. */
export const RUN_FORMS: INodeParameters[] = ['result', 'message', 'chunks', 'background'].map(operationOf);

/** A service that a credential points at; anything else of the mock service is left aside. */
export interface Target {
	baseUrl: string;
	automationUrl: string;
	apiKey: string;
	user?: { username: string; password: string };
}

/** What a test sets beside the form. */
export type NodeRunOptions = Omit<Partial<RunOptions>, 'credentials'> & {
	/** Settings of the node, such as *On Error*. */
	node?: Partial<INode>;
	/** Further fields of the credentials. */
	credentials?: object;
};

/** How a node names its credentials of each type. */
export const CREDENTIALS = Object.fromEntries(
	credentialTypes.map(({ name, displayName }, index) => [name, { id: `${index + 1}`, name: `Local ${displayName}` }]),
);

/** The credentials that lead to a target, as n8n stores them. */
export function storedFor({ baseUrl, automationUrl, apiKey, user }: Target, change: object = {}) {
	const all: ICredentialDataDecryptedObject = { apiKey, ...user, baseUrl, automationUrl, allowUnencrypted: false };
	const stored: Record<string, ICredentialDataDecryptedObject> = {};
	for (const { name, properties } of credentialTypes) {
		const own = properties.flatMap((field) => (field.name in all ? [[field.name, all[field.name]]] : []));
		stored[name] = { ...Object.fromEntries(own), ...change } as ICredentialDataDecryptedObject;
	}
	return stored;
}

/** n8n drops a value that the form does not have without a word, and the test would be about nothing. */
function rejectUnknown(parameters: INodeParameters): void {
	for (const name of Object.keys((parameters.options as INodeParameters | undefined) ?? {}))
		if (!options.some((one) => one.name === name)) throw new Error(`Run Automation has no option ${name}`);
	for (const name of Object.keys(parameters))
		if (!fields.some((one) => one.name === name)) throw new Error(`Run Automation has no field ${name}`);
}

/** Runs a workflow of a start node and one node of the package on the real engine, and gives what that node put out. */
export async function runNode(
	type: string,
	target: Target,
	parameters: INodeParameters,
	{ node, credentials, ...options }: NodeRunOptions = {},
) {
	const name = 'Tested Node';
	const stored = storedFor(target, credentials);
	if (type.startsWith(RUN_AUTOMATION)) rejectUnknown(parameters);
	const place = { typeVersion: 1, position: [0, 0] as [number, number], parameters };
	const nodes: INode[] = [
		{ id: '1', name: 'Start', type: 'test.start', ...place },
		{ id: '2', name, type, ...place, credentials: CREDENTIALS, ...node },
	];
	const connections: IConnections = { Start: { main: [[{ node: name, type: 'main', index: 0 }]] } };
	const result = await runWorkflow({ nodes, connections }, { registry, credentials: stored, ...options });
	return {
		...result,
		items: result.items(name),
		errorItems: result.items(name, 1),
		hints: result.hints(name),
		status: result.run.status,
		error: result.error(name) as NodeApiError | undefined,
	};
}

/** What a test of Run Automation sets beside the form: settings of the node, and the JSON of the input items. */
export type Extra = Omit<NodeRunOptions, 'input' | 'node'> & { input?: IDataObject[]; settings?: Partial<INode> };

export const continued: Extra = { settings: { onError: 'continueRegularOutput' } };
export const asTool: Extra = { settings: { type: `${RUN_AUTOMATION}Tool` } };

export async function runAutomation(target: Target, parameters: INodeParameters, extra: Extra = {}) {
	const { input = [{}], settings: node, ...options } = extra;
	const items = input.map((json) => ({ json }));
	return await runNode(RUN_AUTOMATION, target, parameters, { input: items, node, ...options });
}

export const operate = async (target: Target, parameters: INodeParameters, options?: NodeRunOptions) =>
	await runNode(BROWSER_AUTOMATION, target, parameters, options);

/** Calls a node as n8n's own Agents do, which have no execution: for each of the forms in turn, with the same credentials. */
export async function callAsAgent(target: Target, type: string, forms: INodeParameters[], credentials = {}) {
	const stored = storedFor(target, credentials);
	const place = { typeVersion: 1, position: [0, 0] as [number, number] };
	const called: INodeExecutionData[][] = [];
	for (const parameters of forms) {
		const tool = { id: '1', name: 'Tested Node', type: `${type}Tool`, ...place };
		const node: INode = { ...tool, parameters, credentials: CREDENTIALS };
		called.push(await runWithoutExecution(node, { registry, credentials: stored }));
	}
	return called;
}

/** Everything of an error that n8n keeps or shows, as one text, to look for what must not be in it. */
export const everythingOf = (error: unknown): string =>
	inspect(error, { depth: Infinity, showHidden: true, maxArrayLength: 10_000, maxStringLength: null });
