import type { INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, runNode as runAnyNode, type NodeRunOptions, type Target } from '../engine/run-node';

export { BROWSER_AUTOMATION as TYPE, registry } from '../engine/run-node';

/** Runs one Browser Automation node. */
export const runNode = async (target: Target, parameters: INodeParameters, options: NodeRunOptions = {}) =>
	await runAnyNode(BROWSER_AUTOMATION, target, parameters, options);

export type Ran = Awaited<ReturnType<typeof runNode>>;

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
