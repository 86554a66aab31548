/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const own = path.basename(__filename);
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.test.ts') && !name.endsWith(own))
	.map((name) => path.join('test', name));
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const properties = (file: string) => count(readFileSync(file, 'utf8'), /\bfc\.assert\(/g);

it('every property has its numbers of cases', () => {
	const cases = (file: string) => count(readFileSync(file, 'utf8'), /\bfuzz\(/g);
	expect(tests.map((file) => [file, cases(file)])).toEqual(tests.map((file) => [file, properties(file)]));
});

it('npm run nightly takes every file with a property', () => {
	const { stdout } = spawnSync('node', ['test/support/nightly.mjs', '--list'], { encoding: 'utf8' });
	const expected = tests.filter((file) => properties(file) > 0);
	expect(expected).toContain('test/workflow/retry.test.ts');
	expect(stdout.trim().split('\n').sort()).toEqual(expected.sort());
});
