// What takes too long for every change: npm run nightly [minutes of the soak]. Tries every property with many new cases, as many as
// test/unit/fuzz.ts or the property itself says, then runs both nodes for minutes.
// With --list it only names the files with properties.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const files = readdirSync('test', { recursive: true })
	.map((name) => join('test', name))
	.filter((file) => file.endsWith('.test.ts') && /\bfc\.assert\(/.test(readFileSync(file, 'utf8')));

function run(args, env = {}) {
	return spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

const [minutes = '10'] = process.argv.slice(2);
if (minutes === '--list') console.log(files.join('\n'));
else {
	// Each property has a time limit of its own, which names it: that of jest comes later.
	const jest = [
		'--experimental-vm-modules',
		'node_modules/jest/bin/jest.js',
		'--testTimeout=7200000',
		'--runTestsByPath',
	];
	const fuzz = run([...jest, ...files], { NIGHTLY: 'true' });
	const soak = run(['test/support/run.mjs', 'test/soak/soak.ts', minutes]);
	process.exit(fuzz && soak ? 0 : 1);
}
