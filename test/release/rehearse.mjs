// npm run rehearse: a release from a throw-away clone of the last commit to a registry on this machine, and a run with what was
// published in a real n8n. Nothing leaves this machine, except that npm fetches the registry itself. Provenance cannot be rehearsed.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { installN8n } from '../../demo/lib/install.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { freePort, npm, run, launch, stopAll, stopAllOnSignals } from '../../demo/lib/processes.mjs';
import { step } from '../../demo/lib/progress.mjs';
import { example, nodeOf, startInstance, until } from '../e2e/instance.mjs';

/** The registry. A package of it asks for node-fetch by a tag, which mirrors of npm do not have. */
const REGISTRY = { private: true, dependencies: { verdaccio: '6.10.4' }, overrides: { 'node-fetch': '2.6.7' } };
const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const clone = join(folder, 'clone');
/** The settings of npm on this machine: where packages come from. */
const userconfig = process.env.npm_config_userconfig ?? join(homedir(), '.npmrc');
const { name, version: before } = readJson(root);

/** No setting of a runner of GitHub; in `CI`, release-it asks nothing and raises the last number of the version. */
const env = {
	...Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(GITHUB_|npm_|NODE_AUTH_TOKEN)/.test(key))),
	CI: 'true',
	GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
	npm_config_userconfig: join(folder, 'npmrc'),
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

/** The half of the runner, with the check of publish.yml; returns the address of the registry. */
async function publish(version) {
	const checks = [
		...readFileSync(join(clone, '.github/workflows/publish.yml'), 'utf8').matchAll(/run: (test .+|grep .+)/g),
	];
	assert.equal(checks.length, 2);
	for (const [, check] of checks) await must(['bash', '-c', check], clone, { GITHUB_REF_NAME: version });

	const place = join(folder, 'registry');
	mkdirSync(place);
	writeFileSync(join(place, 'package.json'), JSON.stringify(REGISTRY));
	await must([...npm(), 'install', '--ignore-scripts', '--no-audit', '--no-fund'], place, {
		npm_config_userconfig: userconfig,
	});
	const everybody = { access: '$all', publish: '$all', unpublish: '$all' };
	const config = {
		storage: join(place, 'storage'),
		packages: { '**': everybody },
		log: { type: 'stdout', level: 'warn' },
	};
	// JSON is YAML.
	writeFileSync(join(place, 'config.yaml'), JSON.stringify(config));
	const port = await freePort();
	const url = `http://127.0.0.1:${port}/`;
	const listen = ['--config', 'config.yaml', '--listen', `127.0.0.1:${port}`];
	// It needs a newer Node than the package: that of n8n is.
	const { node } = await installN8n();
	const registry = launch([node, 'node_modules/verdaccio/bin/verdaccio', ...listen], { cwd: place });
	const over = registry.ended.then(() => assert.fail(registry.output()));
	const isThere = async () =>
		await fetch(`${url}-/ping`).then(
			({ ok }) => ok,
			() => false,
		);
	await Promise.race([over, until('the registry responds', isThere)]);
	over.catch(() => {});
	// The client wants any token before it sends a package.
	writeFileSync(env.npm_config_userconfig, `//127.0.0.1:${port}/:_authToken=rehearsal\n`);
	const command = ['publish', '--provenance=false', `--registry=${url}`];
	await must([...npm(), 'run', 'build']);
	await must([...npm(), ...command], clone, { RELEASE_MODE: 'true' });
	return url;
}

/** Installs the published package as n8n does, in its folder for community packages. */
async function install(userFolder, version, url) {
	const nodes = join(userFolder, '.n8n/nodes');
	mkdirSync(nodes, { recursive: true });
	writeFileSync(join(nodes, 'package.json'), '{ "name": "installed-nodes", "private": true }');
	const flags = [`--registry=${url}`, '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	await must([...npm(), 'install', `${name}@${version}`, ...flags], nodes);
	const { packages } = JSON.parse(readFileSync(join(nodes, 'package-lock.json'), 'utf8'));
	assert.ok(packages[`node_modules/${name}`].resolved.startsWith(url));
}

/** Runs a task for rows in an n8n that has the published package. */
async function useIt(version, url) {
	process.env.E2E_PACKAGE_IS_BUILT = 'true';
	const n8n = await startInstance({ install: async (userFolder) => await install(userFolder, version, url) });
	try {
		const table = example('scrape-into-table');
		const nodes = ['Try It Now', 'Run Automation'].map((node) => nodeOf(table, node));
		const connections = { [nodes[0].name]: table.connections[nodes[0].name] };
		const { id } = await n8n.createWorkflow({ ...table, nodes, connections });
		const { status, error, items } = await n8n.execute(id);
		assert.equal(status, 'success', error?.message);
		assert.equal(items('Run Automation').length, 3);
		return items('Run Automation').map(({ json }) => json);
	} finally {
		await n8n.stop();
	}
}

stopAllOnSignals();
try {
	const { version, files } = await step('Releasing from a clone', release);
	console.log(files);
	const url = await step(`Publishing ${version} to a registry on this machine`, async () => await publish(version));
	const rows = await step('Installing it in a real n8n, and a run', async () => await useIt(version, url));
	console.table(rows);
	console.log(`Rehearsed: ${name} ${version}. Not rehearsed: the release on GitHub, and provenance.`);
} finally {
	await stopAll();
	rmSync(folder, { recursive: true, force: true });
}
