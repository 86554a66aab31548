/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INode, INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import ts from 'typescript';

import manifest from '../../package.json';
import agentWithTool from '../../examples/agent-with-tool.json';
import scrapeIntoTable from '../../examples/scrape-into-table.json';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { columnFields, fields } from '../../nodes/RunAutomation/form/fields';
import { optionFields } from '../../nodes/RunAutomation/form/options';
import { resultInstruction } from '../../nodes/RunAutomation/form/prompt';
import { runAutomation } from '../engine/run-node';
import { credentialTypes, nodeTypes } from '../support/registered';
import { resultFields } from '../support/result-fields';
import { sources } from '../support/sources';
import { useService } from '../support/use-service';

const root = path.resolve(__dirname, '../..');
const read = (page: string) => readFileSync(path.join(root, page), 'utf8');
const pages = [...readdirSync(root), ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)].filter(
	(name) => name.endsWith('.md'),
);
const readme = read('README.md');
const reference = read('docs/reference.md');
const guide = read('docs/guide.md');

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
	heading
		.toLowerCase()
		.replace(/[^\w\s-]/g, '')
		.replace(/\s/g, '-');
const anchorsOf = (page: string) => [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading));

/** The text from a heading to the next one. */
const section = (heading: string, page = reference) => page.split(`\n## ${heading}\n`)[1].split('\n## ')[0];

/** The rows of the table whose heading begins so. */
function table(text: string, heading: string): string[][] {
	const [, below] = text.split(`\n| ${heading} |`);
	const [rows] = below.slice(below.indexOf('\n') + 1).split(/\n(?!\|)/);
	const [, ...lines] = rows.split('\n');
	return lines.map((row) => row.slice(2, -2).split(/ +\| +/));
}
/** The blocks of plain text. */
const textBlocks = (text: string) => [...text.matchAll(/```text\n([^]*?)\n```/g)].map(([, block]) => block);
const names = (cell: string) => cell.replace(/[*`]/g, '').split(', ');
/** Names with the place that lists them: a failed test says where one is missing. */
const listed = (place: string, all: string[]) => all.map((name) => `docs/reference.md, ${place}: ${name}`);
const namesOf = (entries: INodeProperties[]) => entries.map(({ displayName }) => displayName);
const field = (entries: INodeProperties[], name: string) => entries.find((entry) => entry.name === name)!;
const choices = (entry: INodeProperties) => (entry.options as INodePropertyOptions[]).map(({ name }) => name);

/** What forms show, at any depth: labels, choices and buttons. */
const labelsIn = (value: unknown): string[] =>
	Object.entries(Object(value) as object).flatMap(([key, inner]) =>
		typeof inner !== 'string'
			? labelsIn(inner)
			: ['displayName', 'name', 'action', 'placeholder'].includes(key) || /ButtonText$/.test(key)
				? [inner]
				: [],
	);
const labels = new Set(labelsIn([...nodeTypes.map(({ description }) => description), ...credentialTypes]));

/** Names of several words that n8n shows. */
const OF_N8N = [
	...['Retry On Fail', 'On Error', 'Stop Workflow', 'Execute Once', 'Request Options'],
	...['Allowed HTTP Request Domains', 'From Run Automation', 'Max Iterations', 'Connect to Browser Automation'],
	...['Mapping Column Mode', 'Map Automatically', 'Must Match', 'All Conditions', 'Add Condition', 'AI Agent'],
	...['Chat Trigger', 'Error Trigger', 'Execute Sub-workflow', 'Loop Over Items', 'MCP Server Trigger'],
	...['Schedule Trigger', 'Always Output Data', 'Chat Model', 'Run Automation Tool', 'Set Manually', 'Response Mode'],
	...['HTTP Request', 'Predefined Credential Type', 'Test Workflow', 'Cell Format'],
];

const service = useService();

describe.each(pages)('%s', (page) => {
	const text = read(page);

	it('links only to pages and headings that exist', () => {
		const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link]) => link);
		const broken = links.filter((link) => {
			const [file, anchor] = link.split('#');
			const target = file === '' ? page : path.join(path.dirname(page), file);
			if (!existsSync(path.join(root, target))) return true;
			return anchor !== undefined && !anchorsOf(target).includes(anchor);
		});
		expect(broken).toEqual([]);
	});

	it('shows each screenshot at half its size', () => {
		const images = [...text.matchAll(/<img src="(.+?)" width="(\d+)"/g)].map(([, image, width]) => ({ image, width }));
		const half = ({ image }: { image: string }) =>
			readFileSync(path.join(root, path.dirname(page), image)).readUInt32BE(16) / 2;
		expect(text).not.toMatch(/!\[.*\]\(.*\.png\)/);
		expect(images).toEqual(images.map(({ image }) => ({ image, width: String(half({ image })) })));
	});

	it('names in italics only what the forms or n8n show', () => {
		const prose = text.replace(/```[^]*?```|`[^`]*`|\*\*/g, '');
		const italics = [...prose.matchAll(/(?<![\w*])([*_])([A-Z][^*_]+?)\1(?![\w*])/g)].map(([, , name]) => name);
		// Several words, each with a capital letter or small in a title.
		const TITLE = /^(?!.*[→:…])(?!.* (?!(?:an?|as|for|from|if|is|of|the|to)\b)[a-z]).* /;
		const titles = italics.map((name) => name.replace(/\s+/g, ' ')).filter((name) => TITLE.test(name));
		expect(titles.filter((name) => !labels.has(name) && !OF_N8N.includes(name))).toEqual([]);
	});

	it('names only commands that exist', () => {
		const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
		expect(commands.filter((name) => !(name in manifest.scripts))).toEqual([]);
	});
});

describe('the README and the reference', () => {
	const options = field(fields, 'options').options as INodeProperties[];
	const run = async (operation: string, query = 'quick task', onError?: INode['onError']) =>
		await runAutomation(service, { operation, query }, { settings: { onError } });

	const { query, columns } = scrapeIntoTable.nodes.find(({ name }) => name === 'Run Automation')!
		.parameters as unknown as { query: string; columns: INodeParameters };

	it('shows the item that its task returns', async () => {
		const [, json] = /```json\n([^]*?)```/.exec(reference)!;
		const shown = JSON.parse(json) as IDataObject;
		const [{ json: item }] = (await run('result', query)).items;
		/** What is shown is shortened: lists and long texts are, and a tool may be shown without its input and output. */
		const check = (part: unknown, whole: unknown) => {
			if (Array.isArray(part)) part.forEach((element, index) => check(element, (whole as unknown[])[index]));
			else if (typeof part === 'object' && part !== null) {
				for (const [key, value] of Object.entries(part)) check(value, (whole as IDataObject)[key]);
			} else if (String(part).endsWith('…')) expect(whole).toContain(String(part).slice(0, -1));
			else expect(String(whole)).toBe(String(part));
		};
		const { thread_id: threadId, ...rest } = shown;
		check(rest, item);
		expect(typeof threadId).toBe(typeof item.thread_id);
		expect(Object.keys(shown)).toEqual(Object.keys(item));
	});

	it('lists every operation, option and column type of Run Automation, and no other', () => {
		const text = section('Run Automation');
		expect(table(text, 'Operation').map(([cell]) => cell)).toEqual(choices(field(fields, 'operation')));
		const types = table(section('Rows'), 'Type').flatMap(([cell]) => names(cell));
		const ofColumns = choices(field(columnFields, 'type'));
		expect(listed('table of types', types.sort())).toEqual(listed('table of types', ofColumns.sort()));
		const inTable = table(text, 'Option').flatMap(([cell]) => names(cell));
		expect(listed('table of options', inTable.sort())).toEqual(listed('table of options', namesOf(options).sort()));
	});

	it('reports what Start in Background returns', async () => {
		const [{ json }] = (await run('background')).items;
		const [, background] = table(section('Run Automation'), 'Operation').find(
			([name]) => name === 'Start in Background',
		)!;
		expect([...background.matchAll(/`(\w+)`/g)].map(([, key]) => key)).toEqual(Object.keys(json));
	});

	it('names the fields of a result in every place that lists them', () => {
		const { all, simple, tool, details } = resultFields;
		const told = (sentence: RegExp) => [...sentence.exec(reference)![1].matchAll(/`(\w+)`/g)].map(([, name]) => name);
		const rows = table(section('Run Automation'), 'Field of the result').flatMap(([cell]) => names(cell));
		const others = all.filter((name) => !simple.includes(name));
		const places: Array<[place: string, told: string[], fields: string[]]> = [
			['table of the fields of the result', rows, simple],
			['"Turn *Simplify* off to get …"', told(/Turn \*Simplify\* off to get (.*), too/), others],
			['"As a tool, …"', told(/As a tool,\*\* ([^.]*)\./), [...tool, 'rows']],
			['"one field `run` with …"', told(/one field `run` with ([^;]*);/), details],
		];
		const inPlaces = places.flatMap(([place, names]) => listed(place, names.sort()));
		expect(inPlaces).toEqual(places.flatMap(([place, , names]) => listed(place, names.sort())));
	});

	it('shows what the node adds to a task', () => {
		expect(textBlocks(section('Run Automation'))).toEqual([resultInstruction]);
	});

	it('shows what the node adds to a task for rows', async () => {
		await runAutomation(service, { operation: 'rows', query, columns });
		expect([`${query}\n\n${textBlocks(section('Rows'))[0]}`]).toEqual(service.starts.map(({ body }) => body.query));
	});

	it('lists every operation of Browser Automation, and of no other', () => {
		const { properties } = new BrowserAutomation().description;
		const resources = field(properties, 'resource').options as INodePropertyOptions[];
		const expected = resources.flatMap(({ name, value }) => {
			const isOwn = (entry: INodeProperties) => entry.displayOptions?.show?.resource?.includes(value);
			return listed(`resource ${name}`, choices(field(properties.filter(isOwn), 'operation')));
		});
		const rows = table(section('Browser Automation'), 'Resource');
		expect(rows.flatMap(([name, cell]) => listed(`resource ${name}`, names(cell)))).toEqual(expected);
	});

	it('lists every credential, and every field of each', () => {
		const text = section('Which credential', readme);
		const inFirst = table(text, 'Credential').flatMap(([cell]) => names(cell));
		expect(inFirst).toEqual(credentialTypes.map(({ displayName }) => displayName));
		const shown = ({ properties }: { properties: INodeProperties[] }) =>
			namesOf(properties.filter(({ type }) => type !== 'hidden' && type !== 'notice'));
		const inTable = table(text, 'Field').map(([cell]) => cell);
		const [key, ...others] = credentialTypes.map(shown);
		expect(inTable).toEqual(key);
		const missing = others.flat().filter((name) => !inTable.includes(name) && !text.includes(`*${name}*`));
		expect(missing).toEqual([]);
	});

	it('shows error items as the nodes return them', async () => {
		const anyText = expect.any(String) as string;
		const details = { advice: anyText, run_started: 'yes', thread_id: anyText, status: 'failed', text: anyText };
		const { items } = await run('result', 'failed', 'continueRegularOutput');
		const names = Object.keys(details).map((name) => `"${name}": …`);
		expect(section('Errors')).toContain(`\`{ "error": …, "details": { ${names.join(', ')} } }\``);
		expect(items[0].json).toMatchObject({ error: anyText, details });
		const { errorItems } = await run('result', 'failed', 'continueErrorOutput');
		expect(section('Errors')).toContain('`{ "error": { "message": …, "details": { … } } }`');
		expect(errorItems[0].json).toMatchObject({ error: { message: anyText, details } });
	});

	it('names the limits that the form has', () => {
		const limits = table(section('Limits'), 'Subject').flatMap(([, limit]) => {
			const [, number, name] = /^([\d,]*\d)[^*]*\*(.+)\* under \*Options\*$/.exec(limit) ?? [];
			return name ? [[name, Number(number.replace(',', ''))]] : [];
		});
		expect(limits).toHaveLength(3);
		const inForm = limits.map(([name]) => [name, optionFields.find((one) => one.displayName === name)!.default]);
		expect(limits).toEqual(inForm);
	});

	it('names every example', () => {
		const linked = [...read('docs/examples.md').matchAll(/\(\.\.\/examples\/([^)]+)\)/g)].map(([, name]) => name);
		expect(linked.sort()).toEqual(readdirSync(path.join(root, 'examples')).sort());
	});
});

it('docs/architecture.md names only code that exists', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
	);
	const code = sources.map((name) => read(name).replace(/^\s*(\/\/|\/?\*).*$/gm, ''));
	const words = new Set([...files, ...code].flatMap((text) => text.match(/[\w-]+/g) ?? []));
	const quotes = [...read('docs/architecture.md').matchAll(/`([^`\n]+)`/g)].map(([, quote]) => quote);
	const named = quotes.filter((quote) => /[a-z][A-Z]/.test(quote)).flatMap((quote) => quote.match(/[\w-]+/g)!);
	expect(named.length).toBeGreaterThan(8);
	expect(named.filter((name) => !words.has(name))).toEqual([]);
	const paths = quotes.filter((quote) => /^(nodes|credentials)\/|\.ts$/.test(quote));
	expect(paths.length).toBeGreaterThan(10);
	const endsOf = (file: string) => file.split('/').map((_, at, all) => all.slice(at).join('/'));
	const ends = new Set(files.flatMap((file) => [`${file}/`, ...endsOf(file)]));
	expect(paths.filter((name) => !ends.has(name) && !existsSync(path.join(root, name)))).toEqual([]);
});

describe('the guide', () => {
	/** Every text in the code, with … for each value that it takes in, and 'a field' under 'its group' as in a sentence. */
	function textsOfCode(): string[] {
		const texts: string[] = [];
		const visit = (node: ts.Node) => {
			if (ts.isStringLiteralLike(node)) texts.push(node.text);
			if (ts.isTemplateExpression(node)) {
				texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'));
			}
			ts.forEachChild(node, visit);
		};
		for (const file of sources) visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.ESNext));
		return texts;
	}

	/** What a text with … for each value matches. */
	const patternOf = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+');
	/** Whether a text of the code is, or begins with, what a heading says. */
	const isSaid = (heading: string, text: string) =>
		new RegExp(`^${patternOf(heading).replace(/^\.\+ /, '(.+ )?')}`).test(text) ||
		new RegExp(`^${patternOf(text)}$`).test(heading);
	/** Nearly only … would fit everything. */
	const saysMuch = (text: string) => text.replace(/…|[^a-z]/gi, '').length > 10;

	it('has for each message that a person meets its step, in the words of the code', () => {
		const [, messages] = guide.split('\n## If it fails, by what you see\n');
		const headings = [...messages.matchAll(/^#### (.+)$/gm)].map(([, heading]) => heading);
		const said = textsOfCode().filter(saysMuch);
		// Codes are n8n's own.
		const ours = headings.filter((heading) => !heading.startsWith('`'));
		expect(ours.length).toBeGreaterThan(8);
		expect(ours.filter((heading) => !said.some((text) => isSaid(heading, text)))).toEqual([]);
	});

	it('has a tool described as in its example, which its picture shows', () => {
		const texts = textBlocks(section('Give an AI Agent a browser', guide).replace(/^ {3}/gm, ''));
		const { parameters } = agentWithTool.nodes.find(({ name }) => name === 'Run Automation')!;
		const threadId = parameters.threadId!.replace('=', '').replace('/*n8n-auto-generated-fromAI-override*/ ', '');
		expect(texts).toEqual([parameters.toolDescription, threadId]);
	});

	it('sums the cost of each run once', async () => {
		const [, expression] = /```text\n(\{\{ .+ \}\})\n```/.exec(guide)!;
		const runs = [
			{ thread_id: 'a', metadata: { cost: 1 } },
			{ thread_id: 'b', metadata: null },
			{ thread_id: 'c', metadata: { cost: 2 } },
		];
		const input = [runs[0], runs[1], { name: 'first row', run: runs[2] }, { name: 'second row', run: runs[2] }];
		const query = `=quick ${expression.replace("$('Run Automation')", "$('Start')")}`;
		await runAutomation(service, { query }, { input, settings: { executeOnce: true } });
		expect(service.starts.at(-1)!.body.query).toMatch(/^quick 3\b/);
	});
});
