/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';

import manifest from '../../package.json';
import { packPackage, root } from './packed';

// What n8n publishes for the review of community packages: verification guidelines, UX guidelines, code standards. Rules
// that the lint checks in the sources are checked here in the compiled nodes of the packed tarball: as n8n loads them.

const { unpacked, make } = packPackage();
const nodes = manifest.n8n.nodes.map((file): [string, INodeType, string] => [...make<INodeType>(file), file]);
const credentials = manifest.n8n.credentials.map((file): [string, ICredentialType, string] => [
	...make<ICredentialType>(file),
	file,
]);
const read = (...parts: string[]) => readFileSync(path.join(...parts), 'utf8');

type Entry = { displayName?: string; name: string; options?: unknown[]; values?: Entry[] };

/** Every field of a form and every option, with those inside collections, and where each stands. */
function* everything(entries: readonly unknown[], at = ''): Generator<[string, INodeProperties]> {
	for (const entry of entries as Entry[]) {
		const where = `${at}/${entry.displayName ?? entry.name}`;
		yield [where, entry as INodeProperties];
		yield* everything([...(entry.options ?? []), ...(entry.values ?? [])], where);
	}
}
const forms = [
	...nodes.map(([name, { description }]) => [name, description.properties] as const),
	...credentials.map(([name, { properties }]) => [name, properties] as const),
];
const fields = forms.flatMap(([name, properties]) => [...everything(properties, name)]);
/** Where the fields stand that break a rule. */
const breaking = (rule: (field: INodeProperties) => boolean) =>
	fields.filter(([, field]) => rule(field)).map(([where]) => where);

describe('the package', () => {
	const packed = JSON.parse(read(unpacked, 'package.json')) as typeof manifest;

	test('says whose it is, what it is, and where its sources are', () => {
		expect(packed.name).toMatch(/^(@[a-z0-9-]+\/)?n8n-nodes-[a-z0-9-]+$/);
		expect(packed.license).toBe('MIT');
		expect(read(unpacked, 'LICENSE.md')).toMatch(/^MIT License\n/);
		expect(packed.author.name).not.toBe('');
		expect(packed.author.email).toMatch(/^[^@\s]+@[^@\s]+\.[a-z]+$/);
		expect(packed.description).not.toBe('');
		expect(packed.keywords).toContain('n8n-community-node-package');
		expect(packed.repository.url).toBe(`git+${packed.homepage}.git`);
		expect(packed.homepage).toMatch(/^https:\/\/github\.com\//);
		expect(packed).not.toHaveProperty('private');
	});

	test('is strict, of a known API version, and free of install scripts and overrides', () => {
		expect(packed.n8n).toMatchObject({ n8nNodesApiVersion: 1, strict: true });
		expect(packed).not.toHaveProperty('overrides');
		for (const script of ['prepare', 'preinstall', 'install', 'postinstall', 'prepublish']) {
			expect(packed.scripts).not.toHaveProperty(script);
		}
	});

	test('has a changelog for its version', () => {
		expect(read(root, 'CHANGELOG.md')).toContain(`\n## ${packed.version}\n`);
	});

	test('has the parts of a README that reviewers look for, in English letters, without emoji', () => {
		const readme = read(unpacked, 'README.md');
		for (const part of ['Install', 'Credential', 'Run Automation', 'Browser Automation', 'Examples', 'Compatibility']) {
			expect(readme).toContain(`\n## ${part}\n`);
		}
		expect(readme).not.toMatch(/\p{Extended_Pictographic}/u);
	});

	test('has the output schema of every operation of every node', () => {
		for (const [, { description }, file] of nodes) {
			const schemas = path.join(unpacked, path.dirname(file), '__schema__/v1.0.0');
			for (const field of description.properties.filter(({ name }) => name === 'operation')) {
				const resources = (field.displayOptions?.show?.resource ?? ['']) as string[];
				for (const resource of resources) {
					for (const { value } of field.options as INodePropertyOptions[]) {
						expect(readdirSync(path.join(schemas, resource))).toContain(`${value as string}.json`);
					}
				}
			}
		}
	});
});

describe('the workflows of the repository', () => {
	test('test on Node 20, 22 and 24, with the commands of the README', () => {
		const ci = read(root, '.github/workflows/ci.yml');
		expect(ci).toContain('node: [20, 22, 24]');
		expect(ci).toContain('node-version: ${{ matrix.node }}');
		for (const command of ['npm test', 'npm run demo', 'npm run test:e2e']) expect(ci).toContain(`- run: ${command}\n`);
	});

	test('publish a tag with provenance, by n8n-node release, and only what passed the tests', () => {
		const publish = read(root, '.github/workflows/publish.yml');
		expect(publish).toMatch(/^on:\n {2}push:\n {4}tags: \['\*\.\*\.\*'\]$/m);
		expect(publish).toContain('uses: ./.github/workflows/ci.yml');
		expect(publish).toMatch(/^ {2}publish:\n {4}needs: test$/m);
		expect(publish).toContain('      id-token: write\n');
		expect(publish).toContain('npm run release\n');
		expect(manifest.scripts.release).toBe('n8n-node release');
		const [major, minor] = manifest.devDependencies['@n8n/node-cli'].split('.').map(Number);
		expect(major > 0 || minor >= 23).toBe(true);
	});
});

describe.each(nodes)('the node %s', (name, { description }, file) => {
	test('is a tool, has a subtitle, and main inputs and outputs', () => {
		expect(description.usableAsTool).toBe(true);
		expect(description.subtitle).toMatch(/^=/);
		expect(description.description).not.toBe('');
		expect(description.inputs).toEqual(['main']);
		expect(description.outputs).toEqual(['main']);
		expect(description.name).toBe(`${name[0].toLowerCase()}${name.slice(1)}`);
	});

	test('uses only credentials of this package', () => {
		const own = credentials.map(([, { name }]) => name);
		expect(own).toEqual(expect.arrayContaining(description.credentials!.map(({ name }) => name)));
	});

	test('has a codex beside it', () => {
		const codex = JSON.parse(read(unpacked, file.replace(/\.js$/, '.json'))) as Record<string, unknown>;
		expect(codex).toMatchObject({ node: `${manifest.name}.${description.name}`, codexVersion: '1.0' });
		expect(codex.nodeVersion).toBe('1.0');
		const known = ['Data & Storage', 'Productivity', 'Miscellaneous', 'Development', 'Analytics', 'Utility'];
		expect(known).toEqual(expect.arrayContaining(codex.categories as string[]));
		const headings = [...read(root, 'README.md').matchAll(/^## (.+)$/gm)].map(([, title]) =>
			title.toLowerCase().replaceAll(' ', '-'),
		);
		const { primaryDocumentation, credentialDocumentation } = codex.resources as Record<string, [{ url: string }]>;
		for (const [{ url }] of [primaryDocumentation, credentialDocumentation]) {
			const [page, heading] = url.split('#');
			expect(page).toBe(manifest.homepage);
			expect(headings).toContain(heading);
		}
	});

	test('offers resources and operations as n8n wants them', () => {
		const pickers = description.properties.filter(({ name }) => name === 'resource' || name === 'operation');
		expect(pickers.length).toBeGreaterThan(0);
		for (const { noDataExpression, options, name } of pickers) {
			expect(noDataExpression).toBe(true);
			if (name === 'resource') continue;
			for (const option of options as INodePropertyOptions[]) {
				expect(option.action).toMatch(/^[A-Z][a-z]+( [a-zA-Z]+)+$/);
				expect(option.description).toMatch(/^[A-Z]/);
			}
		}
	});
});

describe.each(credentials)('the credential %s', (name, credential) => {
	test('has a test, a page, and names that end as n8n wants', () => {
		expect(credential.test).toBeDefined();
		expect(credential.documentationUrl).toMatch(/^https:\/\//);
		expect(credential.name).toMatch(/Api$/);
		expect(name).toMatch(/Api$/);
		expect(credential.displayName).toMatch(/ API$/);
	});

	test('masks what nobody may read', () => {
		const secret = credential.properties.filter(({ name }) => /key|password|token/i.test(name));
		expect(secret.length).toBeGreaterThan(0);
		for (const { typeOptions } of secret) expect(typeOptions?.password).toBe(true);
	});
});

describe('what a person sees', () => {
	test.each([...nodes, ...credentials])('of %s has a light and a dark square icon', (_name, instance, file) => {
		const { light, dark } = ('description' in instance ? instance.description : instance).icon as Record<
			string,
			string
		>;
		const [one, other] = [light, dark].map((icon) => {
			const location = path.join(unpacked, path.dirname(file), icon.replace(/^file:/, ''));
			expect(existsSync(location)).toBe(true);
			return readFileSync(location, 'utf8');
		});
		expect(one).not.toBe(other);
		for (const svg of [one, other]) {
			const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg)!;
			expect(width).toBe(height);
		}
	});

	test('has no emoji', () => {
		expect(fields.length).toBeGreaterThan(50);
		expect(breaking((field) => /\p{Extended_Pictographic}/u.test(JSON.stringify(field)))).toEqual([]);
	});

	test('is sorted where a list has five entries or more', () => {
		const unsorted = fields.filter(([, { options = [], type }]) => {
			if (options.length < 5 || type === 'fixedCollection') return false;
			const names = options.map((option) => ('displayName' in option ? option.displayName! : option.name));
			return names.join() !== [...names].sort((one, other) => one.localeCompare(other)).join();
		});
		expect(unsorted.map(([where]) => where)).toEqual([]);
	});

	test('describes a switch with "Whether", gives examples with "e.g.", and ends one sentence without a period', () => {
		expect(breaking(({ type, description }) => type === 'boolean' && !/^Whether /.test(description ?? ''))).toEqual([]);
		const noExample = ({ type, placeholder }: INodeProperties) =>
			type === 'string' && placeholder !== undefined && !placeholder.startsWith('e.g. ');
		expect(breaking(noExample)).toEqual([]);
		expect(breaking(({ description }) => /^[^.]*\.$/.test(description ?? ''))).toEqual([]);
	});
});

test('the nodes throw no errors but those of n8n', () => {
	const modules = manifest.n8n.nodes.flatMap((file) => [
		// esbuild names the source in front of each part of a bundle.
		...read(unpacked, file).matchAll(/^\/\/ ((?:nodes|credentials)\/.+\.ts)\n([^]*?)(?=^\/\/ .+\.[jt]s\n|$(?![^]))/gm),
	]);
	const plain = modules
		.filter(([, , code]) => /throw new (?:\w*Error)\(/.test(code))
		.map(([, source]) => source)
		// The stream library knows no n8n, and the reader of files turns its own errors into warnings of the item.
		.filter((source) => !/^nodes\/RunAutomation\/(stream\/|output\/files\.ts$)/.test(source));
	expect(modules.length).toBeGreaterThan(60);
	expect(plain).toEqual([]);
});
