/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const root = path.resolve(__dirname, '../..');

/** Packs what was built as npm would publish it, and unpacks it where its modules find n8n-workflow. */
export function packPackage() {
	const folder = mkdtempSync(path.join(tmpdir(), 'package-'));
	execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
	const tarball = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
	const unpacked = path.join(folder, 'package');
	symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	const load = createRequire(path.join(unpacked, 'package.json'));
	return {
		tarball,
		unpacked,
		/** Makes the node or credential of a registered file; gives it with the name of its class. */
		make: <T>(file: string): [string, T] => {
			const [[name, Type]] = Object.entries(load(path.join(unpacked, file)) as Record<string, new () => T>);
			return [name, new Type()];
		},
	};
}
