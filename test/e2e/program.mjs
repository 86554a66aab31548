import { spawnSync } from 'node:child_process';

/** The Debian packages of the programs that tests need, beside Node and npm. */
export const DEBIAN_PACKAGES = {
	chromium: 'chromium',
	'redis-server': 'redis-server',
	initdb: 'postgresql',
	postgres: 'postgresql',
};

/** Where a program is: in the path, or where Debian keeps those of PostgreSQL; undefined if it is not on this machine. */
export function findProgram(name) {
	const search = `command -v ${name} || ls /usr/lib/postgresql/*/bin/${name}`;
	return spawnSync('sh', ['-c', search], { encoding: 'utf8' }).stdout?.split('\n')[0] || undefined;
}

/** Where a program is; throws if it is not on this machine. */
export function program(name) {
	const found = findProgram(name);
	const advice = `install the Debian package ${DEBIAN_PACKAGES[name]}, then run this again.`;
	if (!found) throw new Error(`No ${name} on this machine: ${advice}`);
	return found;
}
