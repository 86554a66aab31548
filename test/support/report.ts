/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import os from 'node:os';

/** A table as Markdown. With the rule `---:` all columns but the first are figures. */
export function table(head: string[], rows: Array<Array<string | number>>, rule = '---'): string {
	const rules = head.map((_, column) => (column === 0 ? '---' : rule));
	return [head, rules, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Where and when figures were taken. */
export function machine(): string {
	const [cpu] = os.cpus();
	const memory = Math.round(os.totalmem() / 2 ** 30);
	const date = new Date().toISOString().slice(0, 10);
	return `${date}, ${cpu.model.trim()} (${os.cpus().length} cores), ${memory} GB, ${os.type()}, Node.js ${process.versions.node}`;
}
