import { ExecuteContext } from 'n8n-core';

/** Collects the lines about starts that nodes log from now on. They are read once: "requested 0" is what happened, and the item. */
export function useLog(): { lines(): string[] } {
	const info = jest.fn<void, [string]>();
	const prototype = Object.getPrototypeOf(Object.getPrototypeOf(ExecuteContext.prototype)) as ExecuteContext;
	const logger = jest.spyOn(prototype, 'logger', 'get').mockReturnValue({ info } as never);
	return {
		lines: () => {
			logger.mockRestore();
			const found = info.mock.calls.map(([line]) => /^Automation run (\w+):.* item (\d+)$/.exec(line));
			return found.flatMap((match) => (match ? `${match[1]} ${match[2]}` : [])).toSorted();
		},
	};
}
