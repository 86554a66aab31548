/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { sources as files } from '../support/sources';

/** The order of the folders: each imports only what stands below it, and its own files. docs/architecture.md says the same. */
const ORDER = [
	'nodes/BrowserAutomation',
	'nodes/BrowserAutomation/execute',
	'nodes/BrowserAutomation/own-steps',
	'nodes/BrowserAutomation/request',
	'nodes/BrowserAutomation/resources',
	'nodes/RunAutomation',
	'nodes/RunAutomation/execute',
	'nodes/RunAutomation/output',
	'nodes/RunAutomation/form',
	'nodes/RunAutomation/run',
	'nodes/RunAutomation/reply',
	'nodes/RunAutomation/columns',
	'credentials',
	'nodes/shared/items',
	'nodes/shared/start',
	'nodes/shared/form',
	'nodes/shared/http',
	'nodes/shared/failure/response',
	'nodes/shared/failure',
	'nodes/shared/mask',
	'nodes/shared/n8n',
	'nodes/shared/values',
];

/** Imports of types, too, and those that are loaded on execution. */
const IMPORT = /(?:\bfrom|\bimport\(?)\s*'(\.[^']*)'/g;
const imports = new Map(
	files.map((file) => {
		const found = [...readFileSync(file, 'utf8').matchAll(IMPORT)];
		const targets = found.map(([, name]) => path.join(path.dirname(file), name));
		return [file, targets.map((name) => [name, `${name}.ts`, `${name}/index.ts`].find((one) => files.includes(one))!)];
	}),
);

it('reads every import of every file', () => {
	expect(files.length).toBeGreaterThan(80);
	expect([...imports].filter(([, targets]) => targets.includes(undefined!))).toEqual([]);
});

it('no folder imports one that stands above it, and neither node the other', () => {
	const place = (file: string) => ORDER.indexOf(path.dirname(file));
	expect(files.filter((file) => place(file) < 0)).toEqual([]);
	const node = (file: string) => /^nodes\/(BrowserAutomation|RunAutomation)/.exec(file)?.[1];
	const upward = [...imports].flatMap(([from, targets]) =>
		targets
			.filter((to) => place(to) < place(from) || (node(from) && node(to) && node(from) !== node(to)))
			.map((to) => `${from} -> ${to}`),
	);
	expect(upward).toEqual([]);
});

it('no files import each other in a circle', () => {
	const done = new Set<string>();
	const visit = (file: string, way: string[]): string[] => {
		if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
		if (done.has(file)) return [];
		const circle = (imports.get(file) ?? []).map((to) => visit(to, [...way, file])).find(({ length }) => length > 0);
		done.add(file);
		return circle ?? [];
	};
	expect(files.flatMap((file) => visit(file, []))).toEqual([]);
});

it('no folder has more than eight entries, but for that of the resources', () => {
	const entries = new Map<string, Set<string>>();
	for (const file of files) {
		for (let entry = file; entry !== '.'; entry = path.dirname(entry)) {
			const folder = path.dirname(entry);
			entries.set(folder, (entries.get(folder) ?? new Set()).add(entry));
		}
	}
	const full = [...entries].filter(([, { size }]) => size > 8).map(([folder]) => folder);
	expect(full).toEqual(['nodes/BrowserAutomation/resources']);
});
