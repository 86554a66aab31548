/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync } from 'node:fs';

import { sources } from '../support/sources';

/** What each of several files has for itself. */
const OF_EACH = ['builderHint'];

const DEFINITION = /^(?:export )?(?:default )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

it('every top-level name is defined in one file of the product', () => {
	const places = new Map<string, Set<string>>();
	for (const file of sources)
		for (const [, name] of readFileSync(file, 'utf8').matchAll(DEFINITION))
			places.set(name, (places.get(name) ?? new Set()).add(file));
	const shared = [...places].filter(([name, where]) => where.size > 1 && !OF_EACH.includes(name));
	expect(shared.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
});
