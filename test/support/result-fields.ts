import { forAgent, runDetails, simplified } from '../../nodes/RunAutomation/output/shapes';
import { resultOf } from '../../nodes/RunAutomation/result/result';
import type { ReportedRun } from '../../nodes/RunAutomation/reply/reply';

/** A run that has everything that a result shows. */
const run: ReportedRun = {
	status: 'not_done',
	reason: 'A captcha',
	blockedBy: 'captcha',
	message: {
		id: '1',
		role: 'assistant',
		metadata: { cost: 1 },
		parts: [
			{ type: 'text', text: 'Text' },
			{ type: 'source-url', sourceId: '1', url: 'https://shop.example' },
			{ type: 'file', url: 'https://shop.example/a.pdf', mediaType: 'application/pdf' },
			{ type: 'tool-open', toolCallId: '1', state: 'output-available' },
		],
	},
	approvals: [{ approval_id: '1', tool: 'pay', tool_call_id: '2', input: {}, reason: null }],
	data: { progress: 1 },
	finishReason: 'stop',
	warnings: ['A warning'],
	notes: [],
};

const result = resultOf({ threadId: 'thread', run, chunks: [] } as never);

/** The names of the fields of a result, in full and as each reader gets them. */
export const resultFields = {
	all: Object.keys(result),
	simple: Object.keys(simplified(result)),
	tool: Object.keys(forAgent(result)),
	details: Object.keys(runDetails(result)),
};
