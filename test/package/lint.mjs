// npm run lint [-- --fix]: n8n's lint for community nodes. It passes warnings, and is silent if all is well; here a warning is a
// finding, and a run without any says so.
import { spawnSync } from 'node:child_process';

const command = ['node_modules/@n8n/node-cli/bin/n8n-node.mjs', 'lint', ...process.argv.slice(2)];
const options = { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' };
const { stdout, status } = spawnSync(process.execPath, command, options);
const isClean = status === 0 && !/\b(error|warning)\b/.test(stdout);
console.log(isClean ? 'The lint found nothing.' : stdout);
process.exitCode = isClean ? 0 : 1;
