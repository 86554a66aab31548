// The installation from a file that docs/operations.md describes, done word for word, and loaded by a real n8n.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { installN8n } from '../../demo/lib/install.mjs';
import { setUpOwner, startN8n } from '../../demo/lib/n8n.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { environmentWith, run, stopAll } from '../../demo/lib/processes.mjs';
import { logIn } from '../../demo/lib/session.mjs';

const { name: PACKAGE } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** A copy of the repository: other tests pack the package while this one builds it. */
const copy = mkdtempSync(join(tmpdir(), 'n8n-copy-'));
const home = mkdtempSync(join(tmpdir(), 'n8n-install-'));
const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
const [section] = page.split('\n## Install from a file\n')[1].split('\n## ');
const [, commands] = /```sh\n([^]*?)```/.exec(section);

after(async () => {
	await stopAll();
	rmSync(home, { recursive: true, force: true });
	rmSync(copy, { recursive: true, force: true });
});

/** The names of the nodes of the package that an n8n has loaded. */
async function nodesOf({ url }) {
	await setUpOwner(url);
	const { cookie } = await logIn(url);
	const types = await (await fetchN8n(`${url}/types/nodes.json`, { headers: { cookie } })).json();
	return types.map(({ name }) => name).filter((name) => name.startsWith(`${PACKAGE}.`) && !name.endsWith('Tool'));
}

it('the package is installed from a file as the documentation says', async () => {
	const instance = { installation: await installN8n(), userFolder: home };
	const first = await startN8n(instance);
	assert.deepEqual(await nodesOf(first), []);
	await first.stop();

	// The commands are those of a person whose home is this folder, with the npm settings of this one.
	const npmrc = join(process.env.HOME, '.npmrc');
	const env = environmentWith(process.execPath, { HOME: home, npm_config_userconfig: npmrc });
	await run(['sh', '-ec', `git ls-files -z | xargs -0 cp --parents -t ${copy}`], { cwd: root });
	symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
	const { code, output } = await run(['sh', '-ec', commands], { cwd: copy, env });
	assert.equal(code, 0, output);
	assert.deepEqual(readdirSync(join(home, '.n8n/nodes/node_modules')), [PACKAGE]);

	const nodes = await nodesOf(await startN8n(instance));
	assert.deepEqual(nodes.sort(), [`${PACKAGE}.browserAutomation`, `${PACKAGE}.runAutomation`]);
});
