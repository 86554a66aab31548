import 'reflect-metadata';
import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialDataDecryptedObject, ICredentialType, INode, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';
import { runWorkflow, type Registry } from './run-workflow';

// The packed package on n8n's engine: for `npm run demo`, and for the tests on older versions of n8n.

/** Loads an unpacked package with n8n's own loader, and names its nodes as workflows name them. */
export async function loadPacked(folder: string): Promise<Registry> {
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	const nodes = Object.entries(loader.nodeTypes).map(([name, { type }]) => [`${manifest.name}.${name}`, type]);
	const credentials = Object.entries(loader.credentialTypes).map(([name, { type }]) => [name, type]);
	return {
		nodes: Object.fromEntries(nodes) as Record<string, INodeType>,
		credentials: Object.fromEntries(credentials) as Record<string, ICredentialType>,
	};
}

/**
 * Executes one node of a workflow behind a trigger.
 *
 * @param folder the unpacked package
 * @param node as it is stored in the workflow, with one credential
 * @param credential what that credential contains
 * @param onLive is given each piece of live text, as a chat would show it
 */
export async function runPacked(
	folder: string,
	node: INode,
	credential: ICredentialDataDecryptedObject,
	onLive: (piece: string) => void,
) {
	const registry = await loadPacked(folder);
	const [type] = Object.keys(node.credentials ?? {});
	const start: INode = { ...node, id: 'start', name: 'Try It Now', type: 'test.start', parameters: {} };
	const connections = { [start.name]: { main: [[{ node: node.name, type: 'main' as const, index: 0 }]] } };
	const { items, run } = await runWorkflow(
		{ nodes: [start, node], connections },
		{
			registry,
			credentials: { [type]: credential },
			streaming: true,
			onLiveChunk: ({ content }) => content && onLive(content),
		},
	);
	return { items: items(node.name), error: run.data.resultData.error };
}
