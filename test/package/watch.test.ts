/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(__dirname, '../..');

/** The tests that jest runs after a change of a file, as `npm run watch` does. */
function testsOf(file: string): string[] {
	const args = ['node_modules/jest/bin/jest.js', '--listTests', '--findRelatedTests', file];
	const listed = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
	return listed.split('\n').map((name) => path.relative(root, name));
}

it.each([
	['nodes/RunAutomation/columns/schema.ts', 'test/unit/rows.test.ts'],
	['credentials/connection.ts', 'test/unit/credential.test.ts'],
])('npm run watch runs the tests of %s after a change', (file, test) => {
	expect(testsOf(file)).toContain(test);
});
