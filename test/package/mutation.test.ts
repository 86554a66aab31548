/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readdirSync } from 'node:fs';

import { GROUPS, placeOf, planOf } from '../mutation/groups';

const filesOf = (name: string) => [...new Set(planOf(name).ranges.map((range) => range.replace(/:.*/, '')))];

it.each(Object.keys(GROUPS))('the code and the tests of the group "%s" exist', (name) => {
	expect(filesOf(name)).not.toEqual([]);
});

it('each file with code belongs to one group', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
	);
	const isCode = (file: string) => file.endsWith('.ts') && !file.endsWith('.node.ts');
	expect(Object.keys(GROUPS).flatMap(filesOf).toSorted()).toEqual(files.filter(isCode).toSorted());
});

it('a group of which not all lines are changed says so', () => {
	expect(placeOf('files')).toBe('`nodes/files`, one of 4 lines');
	expect(placeOf('secrets')).toBe('`nodes/errors`');
});
