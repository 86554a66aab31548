import { MessageFold } from '../../nodes/RunAutomation/run/message';
import { ToolCalls } from '../../nodes/RunAutomation/run/tool-calls';
import { events, runStream, textChunks } from '../engine/serve-stream';

// Not with the other workflows, which old versions of n8n run with the packed package: there is no reader to break in it.
describe('a problem in the code of the node', () => {
	const reason = 'The rest of the output could not be read: too deep';
	const interrupted = { status: 'interrupted', thread_id: '8f14e45f-ceea-467f-9575-000000000001' };
	const fail = () => {
		throw new RangeError('too deep');
	};
	afterEach(() => jest.restoreAllMocks());

	it('is named, and no other run starts', async () => {
		jest.spyOn(MessageFold.prototype, 'apply').mockImplementation(fail);
		const respond = jest.fn(() => events({ type: 'finish' }));
		const { error } = await runStream(respond, { options: { totalTimeout: 20 } });
		expect(respond).toHaveBeenCalledTimes(1);
		expect(error?.message).toContain(reason);
		expect(error?.context.data).toMatchObject(interrupted);
	});

	const call = { type: 'tool-input-available', toolCallId: '1', toolName: 'pay', input: {} };
	const before = events(...textChunks('Paid for'));
	const after = events(...textChunks('Lost', '2'), { type: 'finish' });
	it.each([
		['in the midst of others', before + events(call) + after],
		['with other line ends', (before + events(call) + after).replaceAll('\n', '\r\n')],
		['at the end of the body, without a line end', before + events(call).trimEnd()],
	])('with a chunk %s keeps what was read before it', async (_name, body) => {
		jest.spyOn(ToolCalls.prototype, 'setInput').mockImplementation(fail);
		const { error } = await runStream(body);
		expect(error?.message).toContain(reason);
		expect(error?.context.data).toMatchObject({ ...interrupted, text: 'Paid for' });
		const { items } = await runStream(body, { options: { ifIncomplete: 'partial' } });
		expect(items).toMatchObject([{ json: { status: 'interrupted', reason, text: 'Paid for' } }]);
	});
});
