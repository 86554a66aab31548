/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';

const RELIABILITY = 'docs/reliability.md';

/** The page with what only maintainers need. */
export const PROOF = 'docs/proof.md';

const markers = (section: string) => [`<!-- ${section} -->\n`, `<!-- /${section} -->`];

/** What stands between the markers of a section of a page. */
export function readSection(section: string, page = RELIABILITY): string {
	const [start, end] = markers(section);
	return readFileSync(page, 'utf8').split(start)[1]?.split(end)[0] ?? '';
}

/** Replaces what stands between the markers of a section. */
export function writeSection(section: string, text: string, page = RELIABILITY): void {
	const [start, end] = markers(section);
	const [before, rest] = readFileSync(page, 'utf8').split(start);
	if (rest === undefined) throw new Error(`${page} has no section ${section}`);
	writeFileSync(page, `${before}${start}${text}${end}${rest.split(end)[1]}`);
}

/** The line of a section's table whose first cell is a name. */
export const readRow = (section: string, name: string, page?: string): string | undefined =>
	readSection(section, page)
		.split('\n')
		.find((line) => line.startsWith(`| ${name} |`));

/** Puts a row in the place of the one that begins with the same cell, or at the end. */
export function writeRow(section: string, cells: Array<string | number>, page?: string): void {
	const old = readRow(section, String(cells[0]), page);
	const rows = readSection(section, page);
	const row = tableRow(cells);
	writeSection(section, old === undefined ? `${rows}${row}\n` : rows.replace(old, () => row), page);
}

/** A row of a table as Markdown, its cells made safe. */
export function tableRow(cells: Array<string | number>): string {
	const cell = (value: string | number) =>
		String(value).replace(/\|/g, '\\|').replace(/\n/g, ' ').replace(/</g, '&lt;');
	return `| ${cells.map(cell).join(' | ')} |`;
}

/** A Markdown table. With the rule `---:` all columns but the first are figures. */
export function table(head: string[], rows: Array<Array<string | number>>, rule = '---'): string {
	const rules = head.map((_, column) => (column === 0 ? '---' : rule));
	return [head, rules, ...rows].map((cells) => `${tableRow(cells)}\n`).join('');
}

/** Where and when figures were taken. */
export function machine(): string {
	const [cpu] = os.cpus();
	const memory = Math.round(os.totalmem() / 2 ** 30);
	const date = new Date().toISOString().slice(0, 10);
	return `${date}, ${cpu.model.trim()} (${os.cpus().length} cores), ${memory} GB, ${os.type()}, Node.js ${process.versions.node}`;
}
