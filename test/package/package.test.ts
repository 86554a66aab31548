/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { packPackage, root } from './packed';

const { tarball, unpacked, make } = packPackage();
const registered = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
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

describe('the packed tarball', () => {
	test('holds what n8n loads, and nothing else', () => {
		const beside = [...filesBelow('nodes'), ...filesBelow('icons')].filter((file) => !/\.(ts|md)$/.test(file));
		expect(shipped).toEqual(
			[...registered, ...beside.map((file) => `dist/${file}`), 'package.json', 'README.md', 'LICENSE.md']
				.map((file) => `package/${file}`)
				.sort(),
		);
		for (const file of shipped)
			expect(file).toMatch(/\.(js|svg|node\.json|md)$|package\.json$|\/__schema__\/.+\.json$/);
	});

	test('needs nothing at run time but n8n-workflow', () => {
		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		const required = shipped
			.filter((file) => file.endsWith('.js'))
			.flatMap((file) => [...readFileSync(path.join(unpacked, '..', file), 'utf8').matchAll(/require\("([^"]+)"\)/g)])
			.map(([, name]) => name);
		expect(new Set(required)).toEqual(new Set(['n8n-workflow']));
	});

	test('keeps the licence notice of the parser in the one bundle that contains it', () => {
		const licence = readFileSync(path.join(root, 'node_modules/eventsource-parser/LICENSE'), 'utf8').trim();
		for (const file of registered) {
			const bundle = readFileSync(path.join(unpacked, file), 'utf8');
			const isParserIn = file === 'dist/nodes/RunAutomation/RunAutomation.node.js';
			expect([file, bundle.includes('function createParser(')]).toEqual([file, isParserIn]);
			expect(bundle.startsWith(`/*\nThis file contains eventsource-parser:\n\n${licence}\n*/\n`)).toBe(isParserIn);
		}
	});

	test('can be read: every bundle names the sources of its parts, and no line is minified', () => {
		for (const file of registered) {
			const lines = readFileSync(path.join(unpacked, file), 'utf8').split('\n');
			expect(lines).toContain(`// ${file.replace(/^dist\//, '').replace(/\.js$/, '.ts')}`);
			const code = lines.filter((line) => line.length > 300 && !/["`]/.test(line));
			expect(code).toEqual([]);
		}
	});

	test('loads, with every node and credential registered', () => {
		const sources = [...filesBelow('nodes'), ...filesBelow('credentials')];
		const entries = sources.filter((file) => /\.(node|credentials)\.ts$/.test(file));
		expect([...registered].sort()).toEqual(entries.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`).sort());
		for (const file of registered) expect(make(file)[0]).toBe(path.basename(file).split('.')[0]);
	});

	test('fits its size budget of 70 kB', () => {
		expect(readFileSync(tarball).length).toBeLessThan(70_000);
	});
});

describe('the codex', () => {
	const codexOf = (node: string) =>
		JSON.parse(readFileSync(path.join(root, `nodes/${node}/${node}.node.json`), 'utf8')) as {
			node: string;
			alias: string[];
		};

	test.each(['RunAutomation', 'BrowserAutomation'])('of %s names the node and finds it', (node) => {
		const codex = codexOf(node);
		expect(codex.node).toBe(`${manifest.name}.${node[0].toLowerCase()}${node.slice(1)}`);
		expect(codex.alias).toEqual(expect.arrayContaining(['browser automation', 'web agent', 'scrape']));
	});
});

describe('the gate of the ecosystem', () => {
	test('n8n-node lint finds nothing', () => {
		const { output, status } = lint('node_modules/@n8n/node-cli/bin/n8n-node.mjs', 'lint');
		expect(output).not.toMatch(/\b(error|warning)\b/);
		expect(status).toBe(0);
	});

	test('the rules of the package scanner find nothing, in the sources and in the tarball', () => {
		const { output, status } = lint('test/package/scan.mjs', tarball);
		expect(output).toContain('\n0 findings\n');
		expect(status).toBe(0);
	});

	test('no rule is switched off in what ships', () => {
		for (const file of [...filesBelow('nodes'), ...filesBelow('credentials')]) {
			expect(readFileSync(path.join(root, file), 'utf8')).not.toMatch(/eslint-disable|@ts-ignore|@ts-expect-error/);
		}
	});
});
