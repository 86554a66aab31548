/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { startService } from '../service/service';

/** The stand-in service in a process of its own, so that what it remembers is not taken for memory of the nodes. */
async function serve() {
	const service = await startService();
	const { baseUrl, automationUrl, apiKey } = service;
	process.on('message', () => {
		const { starts, violations } = service;
		const open = starts.filter(({ outcome }) => outcome === undefined).length;
		process.send!({ starts: starts.length, open, violations: [...violations] });
		service.reset();
	});
	process.on('disconnect', () => process.exit());
	process.send!({ baseUrl, automationUrl, apiKey });
}

void serve();
