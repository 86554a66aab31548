import type { INode } from 'n8n-workflow';

import type { Execution } from '../../nodes/execution/execution-context';

const node = { id: '1', name: 'Node', type: 'x.y', typeVersion: 1, position: [0, 0], parameters: {} } as INode;

/** What n8n tells of an execution: that of a node in a workflow that stops on an error, unless something else is given. */
export const executionOf = (told: Partial<Execution> = {}): Execution => ({
	node,
	isTool: false,
	isStreaming: false,
	continues: false,
	isRedacted: false,
	mode: 'trigger',
	isStored: true,
	isDroppedOnSuccess: false,
	endsAt: Infinity,
	round: '0',
	stop: undefined,
	memory: {},
	hasMemory: true,
	movesFiles: false,
	...told,
});
