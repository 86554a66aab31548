// What takes too long for every change: npm run nightly [minutes of the soak]. Tries every property with 10,000 new cases,
// then runs both nodes for minutes, and writes the figures into docs/reliability.md.
import { spawnSync } from 'node:child_process';

const [minutes = '10'] = process.argv.slice(2);
const run = (args, env = {}) =>
	spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;

const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testTimeout=1200000'];
const fuzz = run([...jest, 'test/unit'], { FUZZ_SEQUENCES: '10000' });
const soak = run(['test/support/run.mjs', 'test/soak/soak.ts', minutes, '--write']);
process.exit(fuzz && soak ? 0 : 1);
