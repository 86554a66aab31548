import { spawnSync } from 'node:child_process';

/** Where a program is: in the path, or where Debian keeps those of PostgreSQL. */
export function program(name, debianPackage) {
	const search = `command -v ${name} || ls /usr/lib/postgresql/*/bin/${name}`;
	const [found] = spawnSync('sh', ['-c', search], { encoding: 'utf8' }).stdout.split('\n');
	if (found) return found;
	throw new Error(`No ${name} on this machine: install the Debian package ${debianPackage}, then run this test again.`);
}
