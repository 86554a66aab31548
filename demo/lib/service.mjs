import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError } from './failure.mjs';
import { root } from './paths.mjs';
import { launch, portTaken } from './processes.mjs';

/** The same URL in every demo, if it is free: n8n keeps the credential for it. */
const PORT = 4011;
/** A busy machine is slow. */
const PATIENCE_MS = 180_000;
/** The first lines of the service. */
const SAID = /^Base URL: +(\S+)\nAutomation URL: +(\S+)\nAPI key: +(\S+)\n/;

/** Starts the mock service. `about` is what it says of itself: its URLs, key, user and tasks. */
export async function startService() {
	const port = (await portTaken(PORT)) ? '0' : String(PORT);
	const script = ['node_modules/tsx/dist/cli.mjs', 'test/service/cli.ts', '--port', port, '--key', 'demo-key'];
	const service = launch([process.execPath, ...script], { cwd: root });
	let over = false;
	void service.ended.then(() => (over = true));

	for (const deadline = Date.now() + PATIENCE_MS; !over && Date.now() < deadline; await sleep(50)) {
		const [, baseUrl, automationUrl, apiKey] = SAID.exec(service.stdout()) ?? [];
		if (apiKey) return { baseUrl, automationUrl, apiKey, about: service.stdout };
	}
	await service.stop();
	throw new DemoError('the mock service did not start.', {
		output: service.output(),
		next: 'run npm run service to see why.',
	});
}
