// What n8n stores of an execution under a policy of redaction, after n8n's own redaction has been over it. n8n applies it only with
// a licence: here its code is given one, and what the nodes return on n8n's engine.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { installN8n } from '../../demo/lib/install.mjs';
import { demo, root } from '../../demo/lib/paths.mjs';

it('nothing of a run is left after redaction by n8n, however the run ended', async () => {
	await installN8n();
	const program = ['--import', 'tsx', 'test/faults/redacted.ts', join(demo, 'node_modules/n8n')];
	const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root });
	const { found, withoutPolicy, executions, before } = JSON.parse(/^REPORT (.*)$/m.exec(stdout)[1]);
	assert.deepEqual(found, []);
	// The values were stored before, and those that are saved for a Retry are left if a node knows of no policy.
	assert.ok(before > 100, `${before} of ${executions} executions have a value`);
	assert.ok(withoutPolicy.length > 0);
});
