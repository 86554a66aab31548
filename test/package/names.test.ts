/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What each of several files has for itself. */
const OF_EACH = ['builderHint', 'fields'];

const DEFINITION = /^(?:export )?(?:default )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

it('every top-level name is defined in one file of the product', () => {
	const root = path.resolve(__dirname, '../..');
	const files = ['nodes', 'credentials']
		.flatMap((folder) =>
			readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
				path.join(folder, file),
			),
		)
		.filter((file) => file.endsWith('.ts'));
	const places = new Map<string, Set<string>>();
	for (const file of files)
		for (const [, name] of readFileSync(path.join(root, file), 'utf8').matchAll(DEFINITION))
			places.set(name, (places.get(name) ?? new Set()).add(file));
	const shared = [...places].filter(([name, where]) => where.size > 1 && !OF_EACH.includes(name));
	expect(shared.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
});
