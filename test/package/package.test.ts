/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { INodeType } from 'n8n-workflow';
import manifest from '../../package.json';
import { packPackage, root } from './packed';

const { tarball, unpacked, make } = packPackage();
const nodes = manifest.n8n.nodes.map((file): [string, INodeType, string] => [...make<INodeType>(file), file]);
const registered = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
const bundles = [...registered, 'dist/shared.js'];
const shipped = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n').sort();

const filesBelow = (directory: string) =>
	readdirSync(path.join(root, directory), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));

/** Runs a linter as a person would: its rules behave otherwise where NODE_ENV says "test", as it does inside jest. */
const lint = (...args: string[]) => {
	const env = { ...process.env, NODE_ENV: 'production', FORCE_COLOR: '0' };
	const { stdout, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
	return { output: stdout, status };
};

const read = (...parts: string[]) => readFileSync(path.join(...parts), 'utf8');

describe('the packed tarball', () => {
	it('holds what n8n loads, and nothing else', () => {
		const beside = [...filesBelow('nodes'), ...filesBelow('icons')].filter((file) => !/\.(ts|md)$/.test(file));
		expect(shipped).toEqual(
			[...bundles, ...beside.map((file) => `dist/${file}`), 'package.json', 'README.md', 'LICENSE.md']
				.map((file) => `package/${file}`)
				.sort(),
		);
		for (const file of shipped)
			expect(file).toMatch(/\.(js|svg|node\.json|md)$|package\.json$|\/__schema__\/.+\.json$/);
	});

	it('needs nothing at run time but n8n-workflow', () => {
		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		const required = shipped
			.filter((file) => file.endsWith('.js'))
			.flatMap((file) => [...read(unpacked, '..', file).matchAll(/require\("([^"]+)"\)/g)])
			.map(([, name]) => name);
		expect(new Set(required)).toEqual(new Set(['n8n-workflow', '../shared.js', '../../shared.js']));
	});

	it('keeps the licence notice of the parser in the one bundle that contains it', () => {
		const licence = read(root, 'node_modules/eventsource-parser/LICENSE').trim();
		for (const file of bundles) {
			const bundle = read(unpacked, file);
			const isParserIn = file === 'dist/nodes/RunAutomation/RunAutomation.node.js';
			expect([file, bundle.includes('function createParser(')]).toEqual([file, isParserIn]);
			expect(bundle.startsWith(`/*\nThis file contains eventsource-parser:\n\n${licence}\n*/\n`)).toBe(isParserIn);
		}
	});

	it('can be read: every bundle names the sources of its parts, and no line is minified', () => {
		for (const file of bundles) {
			const lines = read(unpacked, file).split('\n');
			const source = file === 'dist/shared.js' ? 'nodes/errors/node-error.ts' : file.replace(/^dist\/(.+)js$/, '$1ts');
			expect(lines).toContain(`// ${source}`);
			const code = lines.filter((line) => line.length > 300 && !/["`]/.test(line));
			expect(code).toEqual([]);
		}
	});

	it('loads, with every node and credential registered', () => {
		const sources = [...filesBelow('nodes'), ...filesBelow('credentials')];
		const entries = sources.filter((file) => /\.(node|credentials)\.ts$/.test(file));
		expect([...registered].sort()).toEqual(entries.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`).sort());
		for (const file of registered) expect(make(file)[0]).toBe(path.basename(file).split('.')[0]);
	});

	it('has a changelog for its version', () => {
		expect(read(root, 'CHANGELOG.md')).toContain(`\n## ${manifest.version}\n`);
	});

	it.each(nodes)('has a codex for %s, which leads to sections of the README', (_name, { description }, file) => {
		const codex = JSON.parse(read(unpacked, file.replace(/\.js$/, '.json'))) as Record<string, unknown>;
		expect(codex).toMatchObject({
			node: `${manifest.name}.${description.name}`,
			codexVersion: '1.0',
			nodeVersion: '1.0',
		});
		expect(codex.alias).toEqual(expect.arrayContaining(['browser automation']));
		const known = ['Data & Storage', 'Productivity', 'Miscellaneous', 'Development', 'Analytics', 'Utility'];
		expect(known).toEqual(expect.arrayContaining(codex.categories as string[]));
		const headings = [...read(root, 'README.md').matchAll(/^## (.+)$/gm)].map(([, title]) =>
			title.toLowerCase().replaceAll(' ', '-'),
		);
		for (const [{ url }] of Object.values(codex.resources as Record<string, [{ url: string }]>)) {
			const [page, heading] = url.split('#');
			expect(page).toBe(manifest.homepage);
			expect(headings).toContain(heading);
		}
	});

	it('throws no errors but those of n8n', () => {
		const modules = bundles.flatMap((file) => [
			// The name of the source stands in front of each part of a bundle.
			...read(unpacked, file).matchAll(
				/^\/\/ ((?:nodes|credentials)\/.+\.ts)\n([^]*?)(?=^\/\/ .+\.[jt]s\n|$(?![^]))/gm,
			),
		]);
		const plain = modules
			.filter(([, , code]) => /throw new (?:\w*Error)\(/.test(code))
			.map(([, source]) => source)
			// The stream library knows no n8n.
			.filter((source) => !source.startsWith('nodes/RunAutomation/stream/'));
		expect(modules.length).toBeGreaterThan(60);
		expect(plain).toEqual([]);
	});

	it('fits its size budget of 60 kB', () => {
		expect(readFileSync(tarball).length).toBeLessThan(60_000);
	});
});

describe('the workflows of the repository', () => {
	it('test on every supported Node, and publish with provenance only what passed', () => {
		expect(read(root, '.github/workflows/ci.yml')).toContain('node: [20, 22, 24]');
		const publish = read(root, '.github/workflows/publish.yml');
		expect(publish).toContain('uses: ./.github/workflows/ci.yml');
		expect(publish).toMatch(/^ {2}publish:\n {4}needs: test$/m);
		expect(publish).toContain('      id-token: write\n');
		expect(publish).toContain('npm run release\n');
	});
});

describe('the gate of the ecosystem', () => {
	it('n8n-node lint finds nothing', () => {
		const { output, status } = lint('node_modules/@n8n/node-cli/bin/n8n-node.mjs', 'lint');
		expect(output).not.toMatch(/\b(error|warning)\b/);
		expect(status).toBe(0);
	});

	it('the rules of the package scanner find nothing, in the sources and in the tarball', () => {
		const { output, status } = lint('test/package/scan.mjs', tarball);
		expect(output).toContain('\n0 findings\n');
		expect(status).toBe(0);
	});

	it('no rule is switched off in what ships', () => {
		for (const file of [...filesBelow('nodes'), ...filesBelow('credentials')]) {
			expect(read(root, file)).not.toMatch(/eslint-disable|@ts-ignore|@ts-expect-error/);
		}
	});
});
