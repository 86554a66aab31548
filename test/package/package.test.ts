/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';

const root = path.resolve(__dirname, '../..');
const built = path.join(root, 'dist/shared.js');
const sources = ['nodes', 'credentials', 'icons'].flatMap((folder) =>
	readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
);
const isOlderThan = (file: string) => statSync(built).mtimeMs < statSync(path.join(root, file)).mtimeMs;
const newer = existsSync(built) && [...sources, 'gulpfile.js'].find(isOlderThan);
if (newer !== undefined) {
	throw new Error(`dist/ is ${newer ? `older than ${newer}` : 'not there'}: run npm run build, then this test again.`);
}

// What was built, packed as npm would publish it, and unpacked where its modules find n8n-workflow.
const folder = mkdtempSync(path.join(tmpdir(), 'package-'));
afterAll(() => rmSync(folder, { recursive: true }));
execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
const tarball = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
execFileSync('tar', ['-xzf', tarball, '-C', folder]);
const unpacked = path.join(folder, 'package');
symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
const load = createRequire(path.join(unpacked, 'package.json'));

const registered = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
/** What is loaded only when it is executed: sources that another one imports by `await import`. */
const executed = [
	'nodes/BrowserAutomation/execute/batch',
	'nodes/RunAutomation/execute/batch',
	'credentials/request-token',
];
const lazy = [...executed.map((name) => `dist/${name}.js`), 'dist/execution.js'];
const bundles = [...registered, ...lazy, 'dist/shared.js'];

const filesBelow = (directory: string, from = root) =>
	readdirSync(path.join(from, directory), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(from, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
const shipped = filesBelow('', unpacked).sort();

const read = (...parts: string[]) => readFileSync(path.join(...parts), 'utf8');

it("has one manifest and one lock file in its source: n8n's scanner rejects a second manifest", () => {
	const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*package.json', '*package-lock.json'];
	const found = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
	expect(found).toEqual(['package-lock.json', 'package.json']);
});

describe('the packed tarball', () => {
	it('holds what n8n loads, and nothing else', () => {
		const beside = [...filesBelow('nodes'), ...filesBelow('icons')].filter((file) => !/\.(ts|md)$/.test(file));
		const others = ['package.json', 'README.md', 'LICENSE.md'];
		expect(shipped).toEqual([...bundles, ...beside.map((file) => `dist/${file}`), ...others].sort());
		for (const file of shipped)
			expect(file).toMatch(/\.(js|svg|node\.json|md)$|package\.json$|\/__schema__\/.+\.json$/);
	});

	it('needs nothing at run time but n8n-workflow and what Node has to hash a text', () => {
		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		const required = shipped
			.filter((file) => file.endsWith('.js'))
			.flatMap((file) => [...read(unpacked, file).matchAll(/require\("([^"]+)"\)/g)])
			.map(([, name]) => name);
		const own = required.filter((name) => name.startsWith('.'));
		expect(new Set(required)).toEqual(new Set(['n8n-workflow', 'node:crypto', ...own]));
		const files = own.map((name) => /([^/]+)$/.exec(name)![1]);
		expect(new Set(files)).toEqual(new Set(['shared.js', ...lazy.map((file) => path.basename(file))]));
	});

	it('keeps the licence notice of each library in the one bundle that contains it', () => {
		const libraries = [
			['content-disposition', 'function decodeExtended('],
			['eventsource-parser', 'function createParser('],
		];
		const notices = libraries.map(
			([name]) => `/*\nThis file contains ${name}:\n\n${read(root, `node_modules/${name}/LICENSE`).trim()}\n*/\n`,
		);
		for (const file of bundles) {
			const bundle = read(unpacked, file);
			const isTheOne = file === 'dist/nodes/RunAutomation/execute/batch.js';
			for (const [name, code] of libraries) expect([file, name, bundle.includes(code)]).toEqual([file, name, isTheOne]);
			for (const notice of notices) expect([file, bundle.includes(notice)]).toEqual([file, isTheOne]);
			expect(bundle.startsWith('/*\nThis file contains ')).toBe(isTheOne);
		}
	});

	it('can be read: its lines are not as long as those of minified code', async () => {
		const { minifySync } = await import('rolldown/experimental');
		// The longest text of a form, and the validator's patterns of formats, stand in one line each.
		const charactersPerLine = (code: string) => code.length / code.split('\n').length;
		for (const file of bundles) {
			const bundle = read(unpacked, file);
			expect([file, charactersPerLine(bundle) < 100]).toEqual([file, true]);
			expect([file, charactersPerLine(minifySync(file, bundle).code) < 100]).toEqual([file, false]);
		}
	});

	it('loads, with every node and credential registered', () => {
		const entries = sources.filter((file) => /\.(node|credentials)\.ts$/.test(file));
		expect([...registered].sort()).toEqual(entries.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`).sort());
		for (const file of registered) {
			const [[name, Type]] = Object.entries(load(`./${file}`) as Record<string, new () => unknown>);
			expect(name).toBe(path.basename(file).split('.')[0]);
			expect(new Type()).toBeInstanceOf(Type);
		}
	});

	it('leaves what is executed for the first execution: n8n loads every node and credential at its start', () => {
		const script = `for (const file of ${JSON.stringify(registered)}) require('./' + file);
			console.log(Object.keys(require.cache).join('\\n'));`;
		const loaded = execFileSync(process.execPath, ['-e', script], { cwd: unpacked, encoding: 'utf8' });
		const ownFiles = loaded.split('\n').filter((file) => file.startsWith(unpacked));
		const atStart = ownFiles.map((file) => path.relative(unpacked, file));
		expect(atStart.sort()).toEqual([...registered, 'dist/shared.js'].sort());
		// An import of what is executed puts it, and all that it imports, into one of these files.
		const classes = ownFiles.flatMap((file) => [...read(file).matchAll(/^(?:var|let) (\w+) = class\b/gm)]);
		const names = registered.map((file) => path.basename(file).split('.')[0]);
		expect(classes.map(([, name]) => name).sort()).toEqual([...names, 'CredentialError', 'FailureError'].sort());
	});

	it('has a changelog for its version, or for the next one', () => {
		const [, newest] = /^## (.+)$/m.exec(read(root, 'CHANGELOG.md'))!;
		// A tag is a release.
		const isTag = process.env.GITHUB_REF_TYPE === 'tag';
		expect(isTag ? [manifest.version] : ['Unreleased', manifest.version]).toContain(newest);
	});

	it.each(manifest.n8n.nodes)('has a codex for %s, which leads to sections of the documentation', (file) => {
		const codex = JSON.parse(read(unpacked, file.replace(/\.js$/, '.json'))) as Record<string, unknown>;
		expect(codex).toMatchObject({ node: manifest.name, codexVersion: '1.0', nodeVersion: '1.0' });
		expect(String(codex.alias)).toContain('browser automation');
		const known = ['Data & Storage', 'Productivity', 'Miscellaneous', 'Development', 'Analytics', 'Utility'];
		expect(known).toEqual(expect.arrayContaining(codex.categories as string[]));
		for (const [{ url }] of Object.values(codex.resources as Record<string, [{ url: string }]>)) {
			const [page, heading] = url.replace(manifest.homepage, '').split('#');
			const text = read(root, page.replace('/blob/main/', '') || 'README.md');
			const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title.toLowerCase().replaceAll(' ', '-'));
			expect(headings).toContain(heading);
		}
	});

	it('fits its size budget of 140 kB', () => {
		expect(readFileSync(tarball).length).toBeLessThan(140_000);
	});
});

// The rules themselves: npm run lint, npm run scan.
it('no rule is switched off in what ships', () => {
	for (const file of [...filesBelow('nodes'), ...filesBelow('credentials')]) {
		expect(read(root, file)).not.toMatch(/eslint-disable|@ts-ignore|@ts-expect-error/);
	}
});
