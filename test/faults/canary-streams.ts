import { events } from '../engine/serve-stream';
import { FIELDS_OF_KINDS } from '../unit/stream-arbitraries';

const METADATA = ['messageMetadata', 'providerMetadata', 'toolMetadata'];
const OBJECTS = ['data', 'input', 'output', 'approvalDescriptor', ...METADATA];
const FLAGS = ['approved', 'dynamic', 'isAutomatic', 'preliminary', 'providerExecuted', 'transient'];

const valueOf = (field: string, canary: string): unknown => {
	if (FLAGS.includes(field)) return undefined;
	if (field === 'citations') return [{ source: { sourceType: 'url', url: canary, title: canary }, citedText: canary }];
	if (field === 'parts') return [{ type: 'text', text: canary }];
	return OBJECTS.includes(field) ? { [canary]: canary, url: `https://x/${canary}` } : canary;
};

/**
 * A stream for each kind of chunk, with a canary in each of its fields: as the first chunk, and where it belongs.
 *
 * @returns type and body of each
 */
export const canaryStreams = (canary: string): Array<[type: string, body: string]> =>
	FIELDS_OF_KINDS.map(([type, fields]) => {
		const chunk = { type, ...Object.fromEntries(fields.map((field) => [field, valueOf(field, canary)])) };
		const id = { id: canary, toolCallId: canary, toolName: canary };
		const opened = ['text-start', 'reasoning-start', 'tool-input-start'].map((opening) => ({ type: opening, ...id }));
		const asked = { type: 'tool-approval-request', toolCallId: canary, approvalId: canary };
		const known = type === 'tool-approval-response' ? [...opened, asked] : opened;
		return [type, events(chunk, { type: 'start-step' }, ...known, chunk, { type: 'finish', finishReason: 'other' })];
	});
