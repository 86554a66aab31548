import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../demo/lib/paths.mjs';
import { freePort, portTaken } from '../../demo/lib/processes.mjs';

const PATIENCE_MS = 300_000;

for (const option of ['--editor', '--dev']) {
	it(`the demo with ${option} --port answers at that port, and leaves nothing running after Ctrl-C`, async (t) => {
		const port = await freePort();
		const demo = spawn(process.execPath, ['demo/run.mjs', option, '--port', String(port)], { cwd: root });
		t.after(() => demo.kill('SIGTERM'));
		const ended = once(demo, 'exit');
		let printed = '';
		for (const stream of [demo.stdout, demo.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
		for (const until = Date.now() + PATIENCE_MS; !printed.includes('\nCtrl-C stops n8n'); await sleep(200))
			assert.ok(demo.exitCode === null && Date.now() < until, printed);

		const address = /^n8n: +(\S+)$/m.exec(printed)[1];
		assert.equal(address, `http://127.0.0.1:${port}`);
		assert.match(await (await fetch(address)).text(), /<title>n8n/);
		const ofService = new URL(/^ *Base URL: +(\S+)$/im.exec(printed)[1]).port;
		assert.equal(await portTaken(Number(ofService)), true);
		assert.equal(printed.includes('n8n loads the nodes again after each change'), option === '--dev');

		demo.kill('SIGINT');
		assert.deepEqual(await ended, [130, null]);
		assert.deepEqual([await portTaken(port), await portTaken(Number(ofService))], [false, false]);
	});
}
