import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../../demo/lib/paths.mjs';
import { freePort, launch, portTaken } from '../../demo/lib/processes.mjs';
import { until } from './instance.mjs';

const [, rows] = /```text\n(name [\s\S]+?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'));

for (const [option, does] of [
	['--editor', 'executes the workflow once'],
	['--dev', 'executes nothing'],
]) {
	it(`the demo with ${option} --port ${does}, answers at that port, and leaves nothing running after Ctrl-C`, async (t) => {
		const port = await freePort();
		const demo = launch([process.execPath, 'demo/run.mjs', option, '--port', String(port)], { cwd: root });
		t.after(demo.stop);
		const ended = demo.ended.then(() => assert.fail(demo.output()));
		await Promise.race([ended, until('the demo runs', () => demo.output().includes('\nCtrl-C stops n8n'))]);

		const address = /^n8n: +(\S+)$/m.exec(demo.output())[1];
		assert.equal(address, `http://127.0.0.1:${port}`);
		assert.match(await (await fetch(address)).text(), /<title>n8n/);
		const ofService = new URL(/^ *Base URL: +(\S+)$/im.exec(demo.output())[1]).port;
		assert.equal(await portTaken(Number(ofService)), true);
		assert.equal(demo.output().includes('n8n loads the nodes again after each change'), option === '--dev');
		// These are the items of the last node.
		assert.equal(
			demo.output().includes(`\n${rows}\nThe rows are in the Data Table "Travel books"`),
			option === '--editor',
		);

		ended.catch(() => {});
		process.kill(demo.pid, 'SIGINT');
		assert.equal(await demo.ended, 130);
		assert.deepEqual([await portTaken(port), await portTaken(Number(ofService))], [false, false]);
	});
}
