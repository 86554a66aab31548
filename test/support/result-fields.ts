import { completeOutput, forAgent, runDetails, simplified } from '../../nodes/RunAutomation/output/items';
import type { Run } from '../../nodes/RunAutomation/run/run';

/** A run that has everything that a result shows. */
const run: Run = {
	status: 'not_done',
	thread_id: 'thread',
	reason: 'A captcha',
	blocked_by: 'captcha',
	text: 'Text',
	warnings: ['A warning'],
	furtherWarnings: [],
	approvals: [{ approval_id: '1', tool: 'pay', tool_call_id: '2', input: {}, reason: null }],
	sources: [{ type: 'source-url', source_id: '1', url: 'https://shop.example' }],
	files: [{ url: 'https://shop.example/a.pdf', media_type: 'application/pdf' }],
	data: { progress: 1 },
	tools: [{ name: 'open', tool_call_id: '1', state: 'output-available' }],
	metadata: { cost: 1 },
	finish_reason: 'stop',
	message: { id: '1', role: 'assistant', parts: [] },
	chunks: [],
};

/** The names of the fields of a result, in full and as each reader gets them. */
export const resultFields = {
	all: Object.keys(completeOutput(run)),
	simple: Object.keys(simplified(run)),
	tool: Object.keys(forAgent(run)),
	details: Object.keys(runDetails(run)),
};
