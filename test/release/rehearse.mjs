// npm run rehearse: a release from a throw-away clone of the last commit, and all of its publication but the upload. Nothing leaves this
// machine.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../demo/lib/paths.mjs';
import { npm, run, stopAll, stopAllOnSignals } from '../../demo/lib/processes.mjs';
import { step } from '../../demo/lib/progress.mjs';

const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const clone = join(folder, 'clone');
const { version: before } = readJson(root);

/** No setting of a runner of GitHub; in `CI`, release-it asks nothing and raises the last number of the version. */
const env = {
	...Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(GITHUB_|npm_|NODE_AUTH_TOKEN)/.test(key))),
	CI: 'true',
	GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
};

function readJson(place) {
	return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
}

async function must(command, cwd = clone, more = {}) {
	const { code, output, stdout } = await run(command, { cwd, env: { ...env, ...more } });
	assert.equal(code, 0, `${command.join(' ')}\n${output}`);
	return stdout;
}
const git = async (...args) => (await must(['git', ...args])).trim();

/** The local half: n8n's tool bumps the version, commits, tags and pushes. */
async function release() {
	writeFileSync(env.GIT_CONFIG_GLOBAL, '[user]\n\tname = Rehearsal\n\temail = rehearsal@example.com\n');
	const remote = join(folder, 'remote.git');
	await must(['git', 'init', '--quiet', '--bare', '--initial-branch=main', remote], root);
	await must(['git', 'push', '--quiet', remote, 'HEAD:refs/heads/main'], root);
	await must(['git', 'clone', '--quiet', remote, clone], root);
	symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
	writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
	const changes = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');

	await must([...npm(), 'run', 'release']);

	const { version } = readJson(clone);
	assert.notEqual(version, before);
	const commit = await git('rev-parse', 'HEAD');
	const pushed = ['main', `${version}^{commit}`].map(async (ref) => await git(`--git-dir=${remote}`, 'rev-parse', ref));
	assert.deepEqual(await Promise.all(pushed), [commit, commit]);
	const expected = changes.replace('\n## Unreleased\n', `\n## ${version}\n`);
	assert.equal(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8'), expected);
	assert.equal(await git('status', '--porcelain'), '');
	return { version, files: await git('show', '--stat', '--format=%s', 'HEAD') };
}

/** The half of the runner: the checks of publish.yml, and all of a publication but the upload. */
async function publish(version) {
	const checks = [
		...readFileSync(join(clone, '.github/workflows/publish.yml'), 'utf8').matchAll(/run: (test .+|grep .+)/g),
	];
	assert.equal(checks.length, 2);
	for (const [, check] of checks) await must(['bash', '-c', check], clone, { GITHUB_REF_NAME: version });
	return await must([...npm(), 'publish', '--dry-run'], clone, { RELEASE_MODE: 'true' });
}

stopAllOnSignals();
try {
	const { version, files } = await step('Releasing from a clone', release);
	console.log(files);
	console.log(await step(`Publishing ${version}, without the upload`, async () => await publish(version)));
} finally {
	await stopAll();
	rmSync(folder, { recursive: true, force: true });
}
