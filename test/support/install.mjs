// Installs the packages if they are missing or older than the lock file, so that one command is enough on a fresh
// clone. npm writes node_modules/.package-lock.json at the end of every install.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';
const current = existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs;

if (!current) {
	console.log('Installing packages (about a minute) ...');
	const options = { stdio: 'inherit', shell: process.platform === 'win32' };
	const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], options);
	if (status !== 0) {
		console.error('Not installed. Check the connection to the npm registry, then run this command again.');
		process.exit(status ?? 1);
	}
}
