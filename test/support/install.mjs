// node test/support/install.mjs [n8n] [program ...]: every command of package.json begins with this, so that each works on a
// fresh clone. Installs the packages, and n8n if it is named, unless they are there; a Node that is too old, or a program that is
// missing on this machine, ends the command with what to do.
import { DemoError, printFailure } from '../../demo/lib/failure.mjs';
import { checkNode, installBoth, isCurrent, isN8nReady } from '../../demo/lib/install.mjs';
import { stopAll, stopAllOnSignals, wasInterrupted } from '../../demo/lib/processes.mjs';
import { DEBIAN_PACKAGES, findProgram } from '../e2e/program.mjs';

const needs = process.argv.slice(2);
const missing = needs.filter((name) => name in DEBIAN_PACKAGES && !findProgram(name));

stopAllOnSignals();
try {
	checkNode();
	if (missing.length > 0) {
		const packages = missing.map((name) => DEBIAN_PACKAGES[name]).join(' ');
		throw new DemoError(`this command needs ${missing.join(', ')}.`, {
			next: `run apt-get install ${packages} (Debian; Ubuntu calls chromium chromium-browser), then run this command again.`,
		});
	}
	await installBoth(!isCurrent(), needs.includes('n8n') && !isN8nReady());
} catch (error) {
	if (!wasInterrupted()) printFailure(error);
	process.exitCode = 1;
} finally {
	await stopAll();
}
