import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';

const file = new URL('../../../docs/performance.md', import.meta.url);

/** The machine that the figures belong to, in one line. */
export function machine() {
	const cpus = os.cpus();
	const memory = `${Math.round(os.totalmem() / 2 ** 30)} GB memory`;
	return `${cpus[0].model.trim()}, ${cpus.length} cores, ${memory}, ${os.type()}, Node ${process.versions.node}`;
}

/**
 * A table in Markdown that can also be read as plain text.
 *
 * @param {string[]} head
 * @param {Array<Array<string | number>>} rows
 */
export function table(head, rows) {
	const lines = [head, ...rows].map((cells) => cells.map(String));
	const widths = head.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column].length)));
	// The first column names the row; the others are figures.
	const format = (cells) =>
		`| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
	const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
	return [format(lines[0]), rule, ...lines.slice(1).map(format)].join('\n');
}

/** Puts what a benchmark found in the place of what it found before; a new one goes to the end of the page. */
export function writeSection(name, section) {
	const [open, close] = [`<!-- bench: ${name} -->`, `<!-- /bench: ${name} -->`];
	const date = new Date().toISOString().slice(0, 10);
	const block = `${open}\n\n${section}\n\n_\`npm run bench -- ${name}\`, ${date}: ${machine()}_\n\n${close}`;
	const page = existsSync(file) ? readFileSync(file, 'utf8') : '# Performance\n';
	const [start, end] = [page.indexOf(open), page.indexOf(close)];
	writeFileSync(
		file,
		start === -1 || end === -1
			? `${page.trimEnd()}\n\n${block}\n`
			: `${page.slice(0, start)}${block}${page.slice(end + close.length)}`,
	);
}
