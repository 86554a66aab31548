/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { inspect } from 'node:util';

import type { INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, runNode as runAnyNode, type NodeRunOptions, type Target } from '../engine/run-node';

export { BROWSER_AUTOMATION as TYPE, registry } from '../engine/run-node';

/** Runs one Browser Automation node. */
export const runNode = async (target: Target, parameters: INodeParameters, options: NodeRunOptions = {}) =>
	await runAnyNode(BROWSER_AUTOMATION, target, parameters, options);

/** Everything of an error that n8n keeps or shows, as one text, to look for what must not be in it. */
export const everythingOf = (error: unknown): string =>
	inspect(error, { depth: Infinity, showHidden: true, maxArrayLength: 10_000, maxStringLength: null });
