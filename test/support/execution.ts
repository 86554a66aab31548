import type { INode } from 'n8n-workflow';

import { readMemory, type Execution, type NodeMemory } from '../../nodes/shared/n8n/execution';

const node = { id: '1', name: 'Node', type: 'x.y', typeVersion: 1, position: [0, 0], parameters: {} } as INode;

/** The memory of a node whose context is an object of n8n, which is saved with the execution. */
export const memoryOf = (saved: object = {}): NodeMemory => readMemory({ getContext: () => saved as never });

/** What n8n tells of an execution: that of a node in a workflow that stops on an error, unless something else is given. */
export const executionOf = (values: Partial<Execution> = {}): Execution => ({
	node,
	isTool: false,
	isStreaming: false,
	continues: false,
	isRedacted: false,
	mode: 'trigger',
	isStored: true,
	endsAt: Infinity,
	runIndex: '0',
	stop: undefined,
	memory: memoryOf(),
	movesFiles: false,
	...values,
});
