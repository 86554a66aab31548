// npm run test:e2e: builds the package once, then runs the tests that share one n8n and those that
// start their own beside them.
// With -- --write, the rows of docs/reliability.md that these tests play are written, not compared.
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { installN8n } from '../../demo/lib/install.mjs';
import { buildPackage } from '../../demo/lib/package.mjs';

await installN8n();
await buildPackage();
process.env.E2E_PACKAGE_IS_BUILT = 'true';
if (process.argv.includes('--write')) process.env.E2E_WRITE = 'true';
const files = ['all.mjs', 'queue.test.mjs', 'engine.test.mjs'].map((name) =>
	fileURLToPath(new URL(name, import.meta.url)),
);
run({ files, concurrency: 2 })
	.on('test:fail', () => (process.exitCode = 1))
	.compose(new spec())
	.pipe(process.stdout);
