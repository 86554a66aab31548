import { LiveOutput } from '../../nodes/RunAutomation/output/live';
import type { Chunk } from '../../nodes/RunAutomation/stream';

/** Tells the tests of a file or of a `describe` of each chunk that Run Automation has read, whether anybody watches the run or not. */
export function useReadChunks() {
	let react: (chunk: Chunk) => void;
	let observed: jest.SpyInstance;
	beforeAll(() => {
		const { onChunk } = LiveOutput.prototype;
		observed = jest.spyOn(LiveOutput.prototype, 'onChunk').mockImplementation(function (this: LiveOutput, chunk) {
			onChunk.call(this, chunk);
			react(chunk);
		});
	});
	beforeEach(() => (react = () => {}));
	afterAll(() => observed.mockRestore());
	return (then: typeof react) => {
		react = then;
	};
}
