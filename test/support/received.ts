/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { IncomingMessage } from 'node:http';

/**
 * Tells the tests of a file or of a `describe` of each piece of a response that its client receives. The node has read it before any timer
 * runs, or anything else is received.
 */
export function useReceived() {
	let react: (text: string) => void;
	let observed: jest.SpyInstance;
	beforeEach(() => {
		react = () => {};
		const { push } = IncomingMessage.prototype;
		observed = jest.spyOn(IncomingMessage.prototype, 'push');
		observed.mockImplementation(function (this: IncomingMessage, piece: unknown) {
			const hasRoom = push.call(this, piece);
			// A request has no status.
			if (piece && this.statusCode) react(String(piece));
			return hasRoom;
		});
	});
	afterEach(() => observed.mockRestore());
	return (then: typeof react) => {
		react = then;
	};
}
