import { RunReader } from '../../nodes/RunAutomation/stream';
import { events, runStream } from '../engine/serve-stream';

// Not with the other workflows, which old versions of n8n run with the packed package: there is no reader to break in it.
it('a problem in the code of the node is not told as a broken connection', async () => {
	const write = jest.spyOn(RunReader.prototype, 'write').mockImplementation(() => {
		throw new RangeError('too deep');
	});
	const { error } = await runStream(events({ type: 'finish' }));
	write.mockRestore();
	const reason = 'The output of the run cannot be read further: too deep';
	expect(error?.message).toContain(reason);
	expect(error?.context.data).toMatchObject({ status: 'interrupted', thread_id: 'thread-1' });
});
