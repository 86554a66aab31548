/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';
import manifest from '../../package.json';
import { packPackage, root } from './packed';

const { tarball, unpacked, make } = packPackage();
const nodes = manifest.n8n.nodes.map((file): [string, INodeType, string] => [...make<INodeType>(file), file]);
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

const read = (...parts: string[]) => readFileSync(path.join(...parts), 'utf8');

describe('the packed tarball', () => {
	it('holds what n8n loads, and nothing else', () => {
		const beside = [...filesBelow('nodes'), ...filesBelow('icons')].filter((file) => !/\.(ts|md)$/.test(file));
		expect(shipped).toEqual(
			[...registered, ...beside.map((file) => `dist/${file}`), 'package.json', 'README.md', 'LICENSE.md']
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
		expect(new Set(required)).toEqual(new Set(['n8n-workflow']));
	});

	it('keeps the licence notice of the parser in the one bundle that contains it', () => {
		const licence = read(root, 'node_modules/eventsource-parser/LICENSE').trim();
		for (const file of registered) {
			const bundle = read(unpacked, file);
			const isParserIn = file === 'dist/nodes/RunAutomation/RunAutomation.node.js';
			expect([file, bundle.includes('function createParser(')]).toEqual([file, isParserIn]);
			expect(bundle.startsWith(`/*\nThis file contains eventsource-parser:\n\n${licence}\n*/\n`)).toBe(isParserIn);
		}
	});

	it('can be read: every bundle names the sources of its parts, and no line is minified', () => {
		for (const file of registered) {
			const lines = read(unpacked, file).split('\n');
			expect(lines).toContain(`// ${file.replace(/^dist\//, '').replace(/\.js$/, '.ts')}`);
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

	it.each(nodes)('has the output schema of every operation of %s', (_name, { description }, file) => {
		const schemas = path.join(unpacked, path.dirname(file), '__schema__/v1.0.0');
		for (const { displayOptions, options } of description.properties.filter(({ name }) => name === 'operation')) {
			for (const resource of (displayOptions?.show?.resource ?? ['']) as string[]) {
				const expected = (options as INodePropertyOptions[])
					// A user names the columns of rows, and raw output has three forms: no schema fits.
					.filter(({ value }) => value !== 'rows' && value !== 'raw')
					.map(({ value }) => `${value as string}.json`);
				expect(readdirSync(path.join(schemas, resource)).sort()).toEqual(expected.sort());
			}
		}
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
		const modules = manifest.n8n.nodes.flatMap((file) => [
			// esbuild names the source in front of each part of a bundle.
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

	it('fits its size budget of 80 kB', () => {
		expect(readFileSync(tarball).length).toBeLessThan(80_000);
	});
});

type Entry = { displayName?: string; name: string; options?: unknown[]; values?: Entry[] };

/** Every field of a form and every option, with those inside collections, and where each stands. */
function* everything(entries: readonly unknown[], at: string): Generator<[string, INodeProperties]> {
	for (const entry of entries as Entry[]) {
		const where = `${at}/${entry.displayName ?? entry.name}`;
		yield [where, entry as INodeProperties];
		yield* everything([...(entry.options ?? []), ...(entry.values ?? [])], where);
	}
}

// The lint reads the sources, where it sees no field that a function makes: here are the forms as n8n loads them.
describe('every field of the forms', () => {
	const forms = [
		...nodes.map(([name, { description }]) => [name, description.properties] as const),
		...manifest.n8n.credentials.map((file) => [file, make<ICredentialType>(file)[1].properties] as const),
	];
	const fields = forms.flatMap(([name, properties]) => [...everything(properties, name)]);

	const isUnsorted = ({ options = [], type }: INodeProperties) => {
		const names = options.map((option) => ('displayName' in option ? option.displayName! : option.name));
		const sorted = [...names].sort((one, other) => one.localeCompare(other));
		return options.length >= 5 && type !== 'fixedCollection' && names.join() !== sorted.join();
	};

	it.each<[string, (field: INodeProperties) => boolean]>([
		['is free of emoji', (field) => /\p{Extended_Pictographic}/u.test(JSON.stringify(field))],
		['is sorted if it is a list of five entries or more', isUnsorted],
		[
			'starts its description with "Whether" if it is a switch',
			({ type, description }) => type === 'boolean' && !/^Whether /.test(description ?? ''),
		],
		[
			'gives an example with "e.g."',
			({ type, placeholder }) => type === 'string' && placeholder !== undefined && !placeholder.startsWith('e.g. '),
		],
		['ends a description of one sentence without a period', ({ description }) => /^[^.]*\.$/.test(description ?? '')],
		[
			'hides a secret',
			({ name, type, typeOptions }) => type === 'string' && /^(apiKey|password)$/.test(name) && !typeOptions?.password,
		],
	])('%s', (_rule, isBroken) => {
		expect(fields.length).toBeGreaterThan(50);
		expect(fields.filter(([, field]) => isBroken(field)).map(([where]) => where)).toEqual([]);
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
